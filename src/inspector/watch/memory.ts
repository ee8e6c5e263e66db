/** What a tracker keeps in memory: while consent is pending, and where the storage takes nothing more. */
import type { Activity } from "./activity.js";
import type { Tokens } from "./keys.js";
import { countStored, isStored, readConsent, type Stored } from "./stored.js";
import { globalOf } from "./trackers.js";

/** As long as the row of an event often is. */
const ROW = "x".repeat(1_000);
/** Of no tracker: theirs would listen. */
const PROBE = "tracklet-inspector";

/** Does the storage take one more event? A row is written, and removed at once. */
const takesMore = (): boolean => {
  try {
    localStorage.setItem(PROBE, ROW);
    localStorage.removeItem(PROBE);
    return true;
  } catch {
    return false;
  }
};

/** What is stored, and who is identified in memory alone. */
export const withMemory = (stored: Stored, { isUnstored, contact }: Activity): Stored =>
  isUnstored ? { ...stored, contact: stored.contact || contact } : stored;

/** Keeps count in `activity` of what waits in memory. */
export const createMemory = (name: string, activity: Activity) => ({
  /** Before the tracker tells anything. */
  begin: (): void => {
    activity.isUnstored = !takesMore();
  },

  /** What has waited since before the panel came: nothing but the tracker itself can count it, with what it has stored. */
  count: async (consent = "granted"): Promise<void> => {
    const isPending = consent !== "granted" && !readConsent(name);
    if (!isPending && !activity.isUnstored) return;
    const { queued = 0 } = (await globalOf(name)?.flush?.({ timeoutMs: 0 })) ?? {};
    activity.inMemory = Math.max(0, queued - (isPending ? 0 : countStored(name, activity.options as Tokens)));
  },

  noteQueued: (code: string, body: string): void => {
    const isPending = code === "pending";
    activity.isUnstored = !isPending && !isStored(name, activity.options as Tokens, body);
    activity.inMemory = isPending || activity.isUnstored ? activity.inMemory + 1 : 0;
  },

  /** A row in the storage is removed after its answer is told. */
  noteAnswer: (status: number, body: string): void => {
    const isSent = status >= 200 && status < 300 && !isStored(name, activity.options as Tokens, body);
    if (isSent) activity.inMemory = Math.max(0, activity.inMemory - 1);
  },
});
