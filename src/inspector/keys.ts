/**
 * How a tracker names and writes its rows in `localStorage`. All that the inspector knows of it stands here: whoever changes
 * the rows changes this file.
 */

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The keys of a tracker's rows: those of its events begin with `events`. */
export const keysOf = (name: string) => ({
  events: `${name}:event:`,
  identity: `${name}:identity`,
  consent: `${name}:consent`,
  backOff: `${name}:backoff`,
});

/** When an event was queued, in milliseconds since 1970: a key is `<name>:event:<tab>:<number>:<time>:…`. */
export const queuedAt = (key: string): number => Number(key.split(":event:")[1]?.split(":")[2]);

/** The JSON of an event: a mark may stand in front of it. */
export const bodyOf = (row: string): string => row.slice(Math.max(0, row.indexOf("{")));

/** Contact and account: the row is `<number>\0<contact>\0<account>`. */
export const readIdentity = (row: string): [contact: string, account: string] => {
  const [, contact, account] = row.split("\0");
  return [text(contact), text(account)];
};

/** Milliseconds until the next attempt, or 0: the row begins with when the pause was set, and how long it holds. */
export const readPause = (row: string): number => {
  const [setAt = 0, delay = 0] = (row.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const left = setAt + delay - Date.now();
  return left > 0 && left <= delay ? left : 0;
};
