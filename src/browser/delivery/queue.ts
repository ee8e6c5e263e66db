/**
 * The queue: in memory what this tab sends, in storage one key an event, so that appending costs the same at one or at a
 * thousand events. A key never changes, whoever sends the event.
 */
import { attempt } from "../../shared/attempt.js";
import { config } from "../config.js";
import { report } from "../reporting.js";
import { get, remove, set } from "../state/storage.js";
import { bodyOf, EVENT, isAddressed, isReady, sizeOf, timeOf } from "./event-key.js";

/** Texts by key, in the order of sending. */
export const rows = new Map<string, string>();
export const tally = { delivered: 0, dropped: 0 };

// Seven digits from the start, so that keys sort as text.
let sequence = 1_000_000;
/** Was a drop of an event without its contact reported? Nobody may ever be identified: once is enough. */
let isReported = false;
/** Was an event added since the bounds were looked at? */
let isChanged = false;
let trimmedAt = 0;

/** Changes an event, here and in the storage. */
export const put = (key: string, text: string): void => {
  rows.set(key, text);
  isChanged = true;
  set(key, text);
};

/** Makes an event of `tab` durable before it returns. */
export const append = (tab: string, body: string): void => put(`${EVENT}${tab}:${sequence++}:${Date.now()}`, body);

const take = (key: string): void => {
  rows.delete(key);
  remove(key);
};

/** The service has it. */
export const deliver = (key: string): void => {
  take(key);
  tally.delivered++;
};

/** @param rejection why the service does not want it; reported, if there is one, with the event */
export const drop = (key: string, rejection?: string): void => {
  const text = rows.get(key) ?? "";
  take(key);
  tally.dropped++;
  // At the end, because a report may be tracked.
  if (rejection) report("rejected", rejection, bodyOf(text));
};

/** Takes an event over from the storage. What is no event is removed, and counted. */
export const load = (key: string): void => {
  const text = get(key) ?? "";
  if (attempt(() => JSON.parse(bodyOf(text)).params)) rows.set(key, text);
  else drop(key);
  isChanged = true;
};

/**
 * Looks at each event, the newest first, and drops what is too old or too much. Events without a contact may never be sent,
 * so they are few, go within a day, and take no room from others.
 */
export const trim = (): void => {
  // A thousand events are not looked at after each of a thousand answers.
  if (!isChanged && Date.now() - trimmedAt < 1_000) return;
  isChanged = false;
  trimmedAt = Date.now();
  const { maxEvents, maxBytes, maxAgeMs } = config;
  const bytes: [number, number] = [0, 0];
  const counts: [number, number] = [0, 0];
  /** What was adopted comes last in the queue, whatever its age. */
  const newestFirst = [...rows].reverse().sort(([one], [other]) => timeOf(other) - timeOf(one));
  const evicted: [detail: string, text: string][] = [];
  for (const [key, text] of newestFirst) {
    const kind = isAddressed(text) ? 1 : 0;
    const size = sizeOf(text);
    const isOld = trimmedAt - timeOf(key) > (kind ? Number(maxAgeMs) || 604_800_000 : 86_400_000);
    const isMuch =
      counts[kind] >= (kind ? Number(maxEvents) || 1_000 : 100) || bytes[kind] + size > (Number(maxBytes) || 1_048_576);
    if (isOld || isMuch) {
      drop(key);
      evicted.unshift([kind ? (isOld ? "maxAgeMs" : "maxEvents, maxBytes") : "identify", text]);
    } else {
      counts[kind]++;
      bytes[kind] += size;
    }
  }
  // At the end, because a report may be tracked.
  for (const [detail, text] of evicted) {
    const isUnaddressed = detail === "identify";
    if (!isUnaddressed || !isReported) report("evicted", detail, bodyOf(text));
    isReported ||= isUnaddressed;
  }
};

/** Is there an event that could be sent once the service is up? */
export const isAnyReady = (): boolean => {
  for (const text of rows.values()) if (isReady(text)) return true;
  return false;
};
