/** What the tracker keeps in this browser, as its rows in the storage say. Nothing tells a page of its own changes: they are looked at. */

/** Milliseconds between two looks. */
const LOOK_MS = 250;
const PREFIX = "tracklet:";

/** Of the site's one token: the letters that its rows are filed under stand before most names. */
const get = (name) =>
  Object.entries(localStorage).find(([key]) => key.startsWith(PREFIX) && key.endsWith(`:${name}`))?.[1] ?? "";

/** Milliseconds until the next attempt; 0 where one is due, or a probe is under way. Of the row the first, second and fifth number. */
const waitMs = (row) => {
  const [setAt, delay, , , isProbed] = row.split(",").map(Number);
  const left = setAt + delay - Date.now();
  return left > 0 && left <= delay && !isProbed ? left : 0;
};

/** `{ waiting, unnamed, waitMs, consent }`: events that wait, those of them without a contact, and the visitor's choice. */
const readQueue = () => {
  try {
    const rows = Object.entries(localStorage)
      .filter(([key, value]) => key.startsWith(PREFIX) && key.includes(":event") && value.includes('"event_uid"'))
      .map(([, value]) => value);
    return {
      waiting: rows.length,
      unnamed: rows.filter((row) => !row.includes('"contact_uid"')).length,
      waitMs: waitMs(get("backoff")),
      consent: get("consent"),
    };
  } catch {
    return { waiting: 0, unnamed: 0, waitMs: 0, consent: "" };
  }
};

/** When the next attempt comes, in words. */
export const nextAttempt = ({ waiting, unnamed, waitMs: ms, consent }) => {
  if (consent === "denied") return "none: you refuse";
  if (waiting === 0) return "none: nothing waits";
  if (waiting === unnamed) return "when you identify";
  if (!navigator.onLine) return "when you are online";
  return ms > 0 ? `in ${Math.ceil(ms / 1_000)} s` : "now";
};

/** Tells `listener` what the tracker keeps, at once and at each look. */
export const watchQueue = (listener) => {
  listener(readQueue());
  setInterval(() => document.hidden || listener(readQueue()), LOOK_MS);
};
