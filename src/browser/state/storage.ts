/**
 * `localStorage` made harmless: what it does not keep, because it is absent, denied, full, or closed until the visitor has
 * agreed, is kept in memory. A row of either is a property, so that both are used in one way.
 */
import { attempt } from "../../shared/attempt.js";
import { config, isOn, scopes } from "../config.js";

type Area = Record<string, string>;

/** The row of the visitor's choice, for which the storage is always open. */
export const CONSENT = "consent";
/** Until when this browser is muted, as by the option, in epoch milliseconds: the inspector writes it, and no page does. */
export const MUTE = "mute";

const memory: Area = {};
let isOpen = false;

/** May anything but the choice be stored? */
export const open = (next: boolean): void => {
  isOpen = next;
};

/** The key of a row that is filed by the tracker's name alone, as the choice: a refusal holds for all tokens. */
export const named = (kind: string): string => `${config.name}:${kind}`;
/** The key of a row of this token, or of the former one. */
export const filed = (kind: string, scope = scopes[0]): string => named(`${scope}:${kind}`);

/** Is it a row of these, and not one of another name or token? */
export const isOurs = (key: string): boolean =>
  [named(CONSENT), named(MUTE), filed(""), filed("", scopes[1])].some((start) => key.startsWith(start));

// The getter of `localStorage` may throw, so it is asked anew at each access. A muted document changes nothing in it.
const area = (key?: string): Area =>
  (isOpen || key === named(CONSENT)) && !isOn(config.mute) ? (localStorage as unknown as Area) : memory;

/** What `localStorage` itself holds. */
export const getStored = (key: string): string | undefined => attempt(() => (localStorage as unknown as Area)[key]);

export const get = (key: string): string | undefined => memory[key] ?? getStored(key);

/** Is the row kept in memory, because it is not where it belongs? */
export const isInMemory = (key: string): boolean => memory[key] !== undefined;

export const remove = (key: string): void => {
  delete memory[key];
  attempt(() => delete area(key)[key]);
};

/** @returns whether it is where it belongs; else the storage keeps what it had */
export const set = (key: string, value: string): boolean | undefined => {
  memory[key] = value;
  return attempt(() => {
    const target = area(key);
    target[key] = value;
    if (target !== memory) delete memory[key];
    return true;
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

/** All keys of this name, in the order of their characters. */
export const keys = (): string[] =>
  [...new Set([...Object.keys(memory), ...(attempt(() => Object.keys(area())) ?? [])])]
    .filter((key) => key.startsWith(named("")))
    .sort();
