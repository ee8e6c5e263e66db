import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";
import type { Query } from "./database.js";

/*
 * Ids of events are UUIDs of version 7 (RFC 9562 §5.7): they sort by time, and no counter that all processes share is
 * needed. They are minted just before the transaction that stores them, so that what is older than a transaction can
 * last is settled, see `settled.ts`.
 */

const LAST_TIME = 2 ** 48 - 1;

/** Milliseconds by which an id is minted behind the receipt of its event, at most. */
export const LATE_MS = 3_600_000;

/** The lowest id of a time. @param milliseconds since 1970 */
export const idAt = (milliseconds: number): string => {
  const hex = Math.min(Math.max(0, Math.floor(milliseconds)), LAST_TIME)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** Milliseconds since 1970 in an id. */
export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * Milliseconds by which a clock may be set back without an effect: ids go on by the time that has really passed, so that
 * none is below what somebody has read already. A clock that is set back by more was wrong before, and is followed.
 */
export const SET_BACK_MS = 300_000;

/** What the clock shows beside the time since this process began: rises where it is set forward. */
let base = Number.NEGATIVE_INFINITY;
let time = 0;
let count = 0;

const now = (): number => {
  const shown = Date.now() - performance.now();
  if (shown > base || shown < base - SET_BACK_MS) base = shown;
  return Math.floor(base + performance.now());
};

/** Chance for the next batches: asked for one by one it takes longer than all else that makes an id. */
const chance = Buffer.alloc(4_096);
let used = chance.length;

/** Ids for a batch, in their order; they rise from batch to batch. */
export const newIds = (amount: number): string[] => {
  const at = now();
  if (at !== time) [time, count] = [at, 0];
  if (used === chance.length) used = randomFillSync(chance).length - chance.length;
  const random = chance.subarray(used, used + 16);
  used += 16;
  return Array.from({ length: amount }, () => v7({ msecs: time, seq: count++, random }));
};

/** Goes on behind the newest id of a workspace: the clock may have been set back before this process began. */
export const continueIds = async (query: Query, workspace: string): Promise<void> => {
  for (const table of ["events", "deletions"]) {
    const newest = `SELECT id FROM ${table} WHERE workspace = $1 ORDER BY id DESC LIMIT 1`;
    for (const { id } of await query<{ id: string }>(newest, [workspace])) {
      const behind = timeOf(id) + 1 - performance.now();
      if (behind > base && behind <= Date.now() - performance.now() + SET_BACK_MS) base = behind;
    }
  }
};
