import { DAY_MS, LONGEST_WAIT_MS } from "../base/times.js";
import type { Query } from "../database/database.js";

/** Milliseconds for which a line of the audit log is kept at least. */
const AUDIT_MS = 3 * 366 * DAY_MS;

/**
 * Takes out what erasures and the like have left, where retention goes: tombstones once an event that they keep out would be deleted by its age, and
 * lines of the audit log after three years.
 *
 * @param before epoch milliseconds; what was received before is deleted
 */
export const forgetTraces = async (query: Query, before: number): Promise<void> => {
  await query("DELETE FROM tombstones WHERE erased_at < $1", [before - LONGEST_WAIT_MS]);
  await query("DELETE FROM audit WHERE at < $1", [Math.min(before, Date.now() - AUDIT_MS)]);
};
