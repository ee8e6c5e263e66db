/** How much may wait: events, bytes and age. The oldest event goes first. */
import { numberOf } from "../config.js";
import { isReporting, report } from "../reporting.js";
import { drop, lists, rows, tally } from "./queue.js";
import { ageOf, type Row } from "./row.js";
import {
  LONGEST_AGE_MS,
  MAX_AGE_MS,
  MAX_BYTES,
  MAX_EVENTS,
  MAX_UNADDRESSED,
  MAX_UNADDRESSED_AGE_MS,
} from "./timings.js";

export const mostAge = (): number => Math.min(numberOf("maxAgeMs", MAX_AGE_MS), LONGEST_AGE_MS);
const mostBytes = (): number => numberOf("maxBytes", MAX_BYTES);

const evict = (row: Row, detail: string): void => {
  drop(row);
  if (row.isAddressed || !tally.unnamed) report("evicted", detail, row.body);
  // Nobody may ever be named: once is enough.
  if (!row.isAddressed) tally.unnamed++;
};

/** Drops what is too old or too much. Events without a contact may never be sent: they take no room from others. */
export const trim = (): void => {
  for (const row of rows.values()) {
    if (!row.isAddressed) continue;
    const isOld = ageOf(row.key) > mostAge();
    const isMuch = tally.bytes > mostBytes() || rows.size - lists.unaddressed.size > numberOf("maxEvents", MAX_EVENTS);
    if (!isOld && !isMuch) break;
    evict(row, isOld ? "maxAgeMs" : "maxEvents, maxBytes");
  }
  for (const row of lists.unaddressed) {
    if (lists.unaddressed.size <= MAX_UNADDRESSED && ageOf(row.key) <= MAX_UNADDRESSED_AGE_MS) break;
    evict(row, "identify");
  }
};

/** An event was added. One that is too large alone pushes no other one out. */
export const admit = (row: Row): void => {
  if (row.size > mostBytes()) evict(row, "maxEvents, maxBytes");
  // A report of what makes room for a report would have no end.
  else if (isReporting) trim();
};
