/** A tracker's rows in `localStorage`. What can be had from the tracker's own files is: the rest stands here. */
import { EVENT } from "../../browser/delivery/row.js";
import { IDENTITY } from "../../browser/state/identity.js";
import { CONSENT, MUTE } from "../../browser/state/storage.js";
import { scopeOf } from "../../shared/scope.js";

/** The options that say under which letters rows are filed. */
export type Tokens = { readonly apiToken?: unknown; readonly formerToken?: unknown } | undefined;

/** The keys of a tracker's rows: those of its events begin with one of `events`, and the first of `identities` holds. */
export const keysOf = (name: string, tokens: Tokens = {}) => {
  const filed = (kind: string): string[] =>
    [tokens.apiToken, tokens.formerToken].map((token) => `${name}:${scopeOf(token)}:${kind}`);
  return {
    events: filed(EVENT),
    identities: filed(IDENTITY),
    backOff: filed("backoff")[0]!,
    consent: `${name}:${CONSENT}`,
    mute: `${name}:${MUTE}`,
  };
};

/** Milliseconds until the next attempt; 0 where one is due or under way. `Backoff` in `delivery/backoff.ts` is the row. */
export const readPause = (row: string): number => {
  const [setAt = 0, delay = 0, , isProbed] = row.split(",").map(Number);
  const left = setAt + delay - Date.now();
  return !isProbed && left > 0 && left <= delay ? left : 0;
};
