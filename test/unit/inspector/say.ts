/** What the inspector says of a page where all is well but for what a test names. */
import { expect } from "vitest";
import { type Finding, findingsOf } from "../../../src/inspector/find/findings.js";
import { type Activity, createActivity } from "../../../src/inspector/watch/activity.js";
import type { Snapshot } from "../../../src/inspector/watch/snapshot.js";
import type { Stored } from "../../../src/inspector/watch/stored.js";

export const TAG = { apiToken: "token", trackUrl: "https://track.shop.example" };
/** A page without a script of its own. */
export const INLINE = { calls: false, identifiesDirectly: false, replaces: false, options: [] as string[] };
const SNAPSHOT: Snapshot = {
  name: "tracklet",
  global: "running",
  calls: [],
  strayCalls: 0,
  inline: INLINE,
  addOns: [],
  unnamed: 0,
  tag: TAG,
  isLoaded: true,
  now: 3_001,
  origin: "https://shop.example",
  scriptOrigin: "https://cdn.shop.example",
  isSandboxed: false,
  isOnline: true,
  hasGpc: false,
  href: "https://shop.example/",
};
const STORED: Stored = {
  isThere: true,
  contact: "contact-1",
  account: "",
  consent: "",
  events: [],
  eventCount: 0,
  readyMs: 0,
  pauseMs: 0,
  mutedUntil: 0,
};
const ACTIVITY: Activity = {
  ...createActivity([{ at: 1, status: 200, event: "pageview" }], "https://track.shop.example/v1/track/event"),
  answerCount: 1,
  hasRequests: true,
  quietMs: 5_000,
};
export const PENDING = { tag: { ...TAG, consent: "pending" } };
export const HTTP = "http://track.shop.example/v1/track/event";
/** Before any request. */
export const QUIET: Partial<Activity> = { answers: [], hasRequests: false };

/** What differs from a page where all is well. */
type Page = [activity?: Partial<Activity>, snapshot?: Partial<Snapshot>, stored?: Partial<Stored>];
/** What is said of a page. */
export type Case = [text: string, ...page: Page];

export const answered = (status: number, event = "signup") => ({ answers: [{ at: 1, status, event }] });
export const all = (...[activity, snapshot, stored]: Page): [Snapshot, Stored, Activity] => [
  { ...SNAPSHOT, ...snapshot },
  { ...STORED, ...stored },
  { ...ACTIVITY, ...activity },
];
export const say = (...page: Page): Finding[] => findingsOf(...all(...page));
export const finding = (kind: string, text: string) => ({ kind, text: expect.stringContaining(text) });
