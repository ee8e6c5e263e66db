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

/** The key of a row of this token, or of the former one. The choice is filed by the name alone: a refusal holds for all tokens. */
export const filed = (kind: string, scope = scopes[0]): string => `${scope}:${kind}`;

const prefixed = (key: string): string => `${config.name}:${key}`;
// The getter of `localStorage` may throw, so it is asked anew at each access. A muted document changes nothing in it.
const area = (key: string): Area =>
  (isOpen || key === CONSENT) && !isOn(config.mute) ? (localStorage as unknown as Area) : memory;

/** What `localStorage` itself holds. */
export const getStored = (key: string): string | undefined =>
  attempt(() => (localStorage as unknown as Area)[prefixed(key)]);

export const get = (key: string): string | undefined => memory[prefixed(key)] ?? getStored(key);

/** Is the row kept in memory, because it is not where it belongs? */
export const isInMemory = (key: string): boolean => memory[prefixed(key)] !== undefined;

/** Is it a row of this token or of the former one, or one of all tokens? */
export const isOurs = (key: string): boolean => [CONSENT, MUTE, ...scopes].includes(key.split(":")[0]!);

/** The key of a row without the name before it; nothing for the rows of others. */
export const keyOf = (whole: string | null): string | undefined =>
  whole?.startsWith(prefixed("")) ? whole.slice(prefixed("").length) : undefined;

export const remove = (key: string): void => {
  delete memory[prefixed(key)];
  attempt(() => delete area(key)[prefixed(key)]);
};

/** @returns whether it is where it belongs; else the storage keeps what it had */
export const set = (key: string, value: string): boolean | undefined => {
  memory[prefixed(key)] = value;
  return attempt(() => {
    const target = area(key);
    target[prefixed(key)] = value;
    if (target !== memory) delete memory[prefixed(key)];
    return true;
  });
};

/**
 * Another tab has written the row, or removed it. That holds, also where this page could not write its own, or where the
 * storage was emptied right after.
 */
export const onRow = (key: string, text: string | null): void => {
  delete memory[prefixed(key)];
  if (text && !getStored(key)) memory[prefixed(key)] = text;
};

/** All keys of this name, in the order of their characters. */
export const keys = (): string[] =>
  [...new Set([...Object.keys(memory), ...(attempt(() => Object.keys(area(""))) ?? [])])]
    .flatMap((key) => keyOf(key) ?? [])
    .sort();
