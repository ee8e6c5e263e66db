/**
 * `localStorage` made harmless: what it does not keep, because it is absent, denied, full, or closed until the visitor has
 * agreed, is kept in memory. A row of either is a property, so that both are used in one way.
 */
import { attempt } from "../../shared/attempt.js";
import type { Consent } from "../../types.js";
import { config, isOn, isPerPage, scopes } from "../config.js";

type Area = Record<string, string>;

/** The row of the visitor's choice, for which the storage is always open. */
export const CONSENT = "consent";
/** Until when this browser is muted, as by the option, in epoch milliseconds: the inspector writes it, and no page does. */
export const MUTE = "mute";

const memory: Area = {};
/** What the visitor allows, as this document has acted on it; nothing before the first look. Until it is granted, only the choice is stored. */
export let consent: Consent | undefined;

export const allow = (next?: Consent): void => {
  consent = next;
};

/** The key of a row that is filed by the tracker's name alone, as the choice: a refusal holds for all tokens. */
export const named = (kind: string): string => `${config.name}:${kind}`;
/** The key of a row of this token, or of the former one. */
export const filed = (kind: string, scope = scopes[0]): string => named(`${scope}:${kind}`);

/** Is it a row of these, and not one of another name or token? */
export const isOurs = (key: string): boolean =>
  [CONSENT, MUTE, ...scopes].some((start) => key.startsWith(named(start)));

/** What `localStorage` itself holds. Its getter throws where site data is blocked (HTML §12.2.3), so it is asked anew at each access. */
export const getStored = (key: string): string | undefined => attempt(() => (localStorage as unknown as Area)[key]);

export const get = (key: string): string | undefined => memory[key] ?? getStored(key);

/** Is the row kept in memory, because it is not where it belongs? */
export const isInMemory = (key: string): boolean => key in memory;

/** May rows be stored, and requests begin? No more once another tab has stored a refusal, also before this one is told of it. */
export const isOpen = (): boolean => consent === "granted" && getStored(named(CONSENT)) !== "denied";

/** Needs nobody's consent. A muted document changes nothing in the storage. */
export const remove = (key: string): void => {
  delete memory[key];
  attempt(() => isOn(config.mute) || delete (localStorage as unknown as Area)[key]);
};

/** Does an event wait for its contact in memory? In the storage another document would give it the one that it knows. */
const isKeptBack = (row: string): boolean => isPerPage() && /^[^{]*{"e/.test(row);

/** @returns whether it is where it belongs; else the storage keeps what it had */
export const set = (key: string, value: string): boolean | undefined => {
  memory[key] = value;
  if (isOn(config.mute) || isKeptBack(value) || !(isOpen() || key === named(CONSENT))) return true;
  return attempt(() => {
    (localStorage as unknown as Area)[key] = value;
    return delete memory[key];
  });
};

/**
 * Another tab has written the row, or removed it. That holds, also where this page could not write its own, or where the
 * storage was emptied right after.
 */
export const onRow = (key: string, text: string | null): void => {
  delete memory[key];
  if (text && !getStored(key)) memory[key] = text;
};

/**
 * All keys of this name, in the order of their characters. One of a row that is in memory and in the storage comes twice.
 *
 * @param isWhole whether to look into a storage that is closed, too
 */
export const keys = (isWhole = isOpen()): string[] =>
  [...Object.keys(memory), ...((isWhole && attempt(() => Object.keys(localStorage))) || [])]
    .filter((key) => key.startsWith(named("")))
    .sort();

/** Stores what is in memory, where that may be and there is room. What another tab has stored meanwhile holds. */
export const storeAll = (): void => {
  for (const key of keys(false)) set(key, getStored(key) ?? get(key)!);
};
