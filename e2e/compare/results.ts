import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ROOT } from "../../test/support/launch.js";
import type { Cost } from "./cost.js";
import type { Count } from "./count.js";

/** What was measured of one tracker so far, perhaps in several runs. */
export interface Result {
  version?: string;
  bytes?: number;
  faults: Record<string, Count>;
  /** Its own, and of `tracklet` in the same rounds. */
  cost?: { own: Cost; ours: Cost };
}

export interface Results {
  chromium: string;
  trackers: Record<string, Result>;
}

const FILE = `${ROOT}e2e/.results/compare.json`;

export const readResults = (): Results =>
  existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : { chromium: "", trackers: {} };

export const writeResults = (results: Results): void => {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(results, undefined, 2));
};
