/** How words of a story are read: numbers, options and traits of a page, and how a request fares. */
import type { Opening } from "./page.js";
import type { Fate } from "./service.js";

const OPENINGS: Record<string, Opening> = {
  nobody: { contactUid: undefined as never },
  pending: { consent: "pending" },
  denied: { consent: "denied" },
  stamped: { stamp: true },
  hidden: { isHidden: true },
  covered: { isCovered: true },
  prerendering: { isPrerendering: true },
};

export const words = (text: string): string[] => text.split(" ").filter(Boolean);
const readValue = (text: string): unknown => (/^(\d+|true|false)$/.test(text) ? JSON.parse(text) : text);
/** `silent`, `lost`, a status such as `503`, `503+60` with the seconds of a `Retry-After`, or one of these names. */
export const readFate = (text: string): Fate => {
  const status = { up: "200", refused: "0", unavailable: "503" }[text] ?? text;
  return text === "silent" || text === "lost" ? text : (status.split("+").map(Number) as [number, number?]);
};

/** Options and traits in words: `nobody stamped`, `as ann/acme`, `maxEvents=3 throttleMs=1000`. */
export const readOpening = (text: string): Opening => {
  const opening: Record<string, unknown> = {};
  const [, contactUid, accountUid] = /\bas (\w+)(?:\/(\w+))?/.exec(text) ?? [];
  if (contactUid) Object.assign(opening, { contactUid }, accountUid && { accountUid });
  for (const word of words(text.replace(/\bas \S+/, ""))) {
    const [name, value] = word.split("=") as [string, string?];
    if (value === undefined && !OPENINGS[name]) throw new Error(`nobody opens "${name}"`);
    Object.assign(opening, value === undefined ? OPENINGS[name] : { [name]: readValue(value) });
  }
  return opening;
};
