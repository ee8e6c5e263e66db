/** What the build makes of the whole tracker (rollup.config.mjs): a function that makes another one at each call. */
import type { openHub } from "./browser/hub.js";
import type { openInstance } from "./browser/shared-visitor.js";

/** What a tracker finds in place of the browser's own: all that stores, sends, outlives it, or is missing in some test environments. */
export interface Surroundings {
  localStorage: Record<string, string>;
  fetch: () => Promise<unknown>;
  Request: unknown;
  /** There is none: a request's timer would outlive its test. */
  AbortSignal?: undefined;
  TextEncoder: unknown;
  setTimeout: (run: () => void, ms?: number) => unknown;
  clearTimeout: (timer?: number) => void;
  requestAnimationFrame: (run: () => void) => unknown;
  history: History;
  EventTarget: { prototype: Pick<EventTarget, "addEventListener"> };
}

/** The recorder gives the surroundings; without them (`tracklet/instance`) it uses the browser's own. */
export const loadTracker: (surroundings?: Surroundings) => {
  openHub: typeof openHub;
  openInstance: typeof openInstance;
};
