import type { Scope } from "./tab.js";

/** Tracks one event in the page, in the form that works before and after the bundle has loaded. */
export const track = (page: Scope, eventUid: string, params?: Record<string, unknown>): Promise<void> =>
  page.evaluate(
    ([uid, given]) => {
      window.tracklet ??= [] as never;
      window.tracklet.push(given === undefined ? ["track", uid] : ["track", uid, given]);
    },
    [eventUid, params] as const,
  );

/** The names `prefix-1` … `prefix-count`. */
export const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);

/** Tracks `prefix-1` … `prefix-count` in one task of the page, and returns these names. */
export const trackMany = async (page: Scope, count: number, prefix = "event"): Promise<string[]> => {
  const uids = names(prefix, count);
  await page.evaluate((names) => {
    window.tracklet ??= [] as never;
    for (const uid of names) window.tracklet.push(["track", uid]);
  }, uids);
  return uids;
};

/** The calls that track these events, as code for a page where the snippet may not have loaded yet. */
export const trackCalls = (uids: readonly string[]): string =>
  uids.map((uid) => `(window.tracklet ??= []).push(["track", ${JSON.stringify(uid)}]);`).join("");
