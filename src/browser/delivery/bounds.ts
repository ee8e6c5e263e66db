/** How much may wait: events, bytes and age. The oldest event goes first. */
import { config } from "../config.js";
import { isReporting, report } from "../reporting.js";
import { getStored } from "../state/storage.js";
import { isLeftAlone } from "./ownership.js";
import { drop, forget, handedOff, rows, tabs, tally, unaddressed } from "./queue.js";
import { ageOf, isOwn, type Row } from "./row.js";
import { MAX_AGE_MS, MAX_BYTES, MAX_EVENTS, MAX_UNADDRESSED, MAX_UNADDRESSED_AGE_MS } from "./timings.js";

/** The oldest event that has its contact: each list has its oldest at its head. */
const oldest = (): Row | undefined => {
  let [found] = handedOff;
  for (const { ready, failed } of tabs.values())
    for (const [head] of [ready, failed]) if (head && !(found && found.time <= head.time)) found = head;
  return found;
};

const evict = (row: Row, detail: string): void => {
  // Another document may be about to send it, or has sent it.
  if (!isOwn(row) && (isLeftAlone(row) || getStored(row.key) === undefined)) {
    forget(row);
    return;
  }
  const isUnaddressed = row.list === unaddressed;
  drop(row);
  // Nobody may ever be identified: one report is enough.
  if (!isUnaddressed || !tally.isReported) report("evicted", detail, row.body);
  tally.isReported ||= isUnaddressed;
};

const mostBytes = (): number => Number(config.maxBytes) || MAX_BYTES;

/** An event was added. One that is too large alone pushes no other one out. */
export const admit = (row: Row): void => {
  if (row.size > mostBytes()) evict(row, "maxEvents, maxBytes");
  // A report of what makes room for a report would have no end.
  else if (isReporting) trim();
};

/** Drops what is too old or too much. Events without a contact may never be sent: they take no room from others. */
export const trim = (): void => {
  const maxAge = Number(config.maxAgeMs) || MAX_AGE_MS;
  const maxEvents = Number(config.maxEvents) || MAX_EVENTS;
  for (let row = oldest(); row; row = oldest()) {
    const isOld = ageOf(row) > maxAge;
    if (!isOld && tally.bytes <= mostBytes() && rows.size - unaddressed.size <= maxEvents) break;
    evict(row, isOld ? "maxAgeMs" : "maxEvents, maxBytes");
  }
  for (const row of unaddressed) {
    if (unaddressed.size <= MAX_UNADDRESSED && ageOf(row) <= MAX_UNADDRESSED_AGE_MS) break;
    evict(row, "identify");
  }
};
