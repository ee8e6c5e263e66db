/** What a tracker keeps in memory: while consent is pending, and where the storage takes nothing more. */
import { attempt } from "../ask/attempt.js";
import type { Activity } from "./activity.js";
import type { Tokens } from "./keys.js";
import { eventKeys, readConsent, type Stored } from "./stored.js";
import { globalOf } from "./tags.js";

/** As long as the row of an event often is. */
const ROW = "x".repeat(1_000);
/** Of no tracker: theirs would listen. */
const PROBE = "tracklet-inspector";

/** Does the storage take one more event? A row is written, and removed at once. */
const takesMore = (): boolean =>
  attempt(() => {
    localStorage.setItem(PROBE, ROW);
    localStorage.removeItem(PROBE);
    return true;
  }, false);

/** What is stored, and who is identified in memory alone. */
export const withMemory = (stored: Stored, { isUnstored, contact }: Activity): Stored =>
  isUnstored ? { ...stored, contact: stored.contact || contact } : stored;

/** Keeps count in `activity` of what waits in memory. */
export const createMemory = (name: string, activity: Activity) => {
  const stored = (): string[] => eventKeys(name, activity.options as Tokens);
  return {
    /** Before the tracker tells anything. */
    begin: (): void => {
      activity.isUnstored = !takesMore();
    },
    /** An event was queued: is it where it belongs? */
    noteQueued: (code: string, body: string): void => {
      activity.isUnstored = code !== "pending" && !stored().some((key) => localStorage.getItem(key)?.endsWith(body));
    },
    /** Nothing but the tracker itself can count it, with what it has stored. */
    count: async (): Promise<void> => {
      const { consent = "granted" } = (activity.options ?? {}) as { consent?: string };
      const isPending = consent !== "granted" && !readConsent(name);
      if (!isPending && !activity.isUnstored) activity.inMemory = 0;
      else {
        const { queued = 0 } = (await globalOf(name)?.flush?.({ timeoutMs: 0 })) ?? {};
        activity.inMemory = Math.max(0, queued - (isPending ? 0 : stored().length));
      }
    },
  };
};
