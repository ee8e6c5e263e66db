/**
 * Who the events belong to, `identity` = reset id, contact and account. A document's own `identify` holds for its events; one
 * that has named nobody uses what is stored, the last `identify` of the site.
 */
import { get, getStored, remove, set } from "./storage.js";

const KEY = "identity";
/** Between the members: databases do not keep it in a text, so that no name of theirs holds it. */
const SEPARATOR = "\0";

/** What this document last read or wrote. */
let known: string[] | undefined;
/** Has this document named somebody itself? */
let isOwn = false;

const stored = (): string[] | undefined => get(KEY)?.split(SEPARATOR);

/** Reset id, contact and account. Not read anew at each event: `followIdentity` learns what other documents write. */
export const identity = (): string[] => {
  known ??= stored() ?? [""];
  return known;
};

/** Writes what is known. Where the storage is full, the row of who was named before must go all the same. */
export const keepIdentity = (): void => {
  const row = identity().join(SEPARATOR);
  if (set(KEY, row)) return;
  remove(KEY);
  set(KEY, row);
};

/** The page has emptied the storage: writes what is known again, unless another document has named somebody since. */
export const restoreIdentity = (): void => {
  if (!stored()) keepIdentity();
};

export const identify = (contact: string, account: string): void => {
  known = [identity()[0]!, contact, account];
  isOwn = true;
  keepIdentity();
};

/** Was the reset id made since this document was loaded? It is the time of the reset. */
export const isFresh = (id: string | undefined): boolean => Number(id) > performance.timeOrigin;

/**
 * The storage is about to be opened: its reset id, unknown until now, becomes this document's, unless either of them has made
 * one since this document was loaded.
 */
export const joinIdentity = (): void => {
  const id = getStored(KEY)?.split(SEPARATOR)[0] ?? "";
  if (!known || isFresh(id)) return;
  known[0] ||= id;
  if (isOwn) keepIdentity();
};

/** Forgets the contact. The new id tells other documents so. */
export const resetIdentity = (): void => {
  known = [`${Date.now() + Math.random()}`];
  isOwn = false;
  keepIdentity();
};

/**
 * Learns what other documents have stored.
 *
 * @returns whether somebody has logged out since: what this document knew of its visitor is over
 */
export const followIdentity = (): boolean => {
  // Where the page has emptied the storage, what is known holds.
  const next = stored() ?? identity();
  // An older one comes back where the page has emptied the storage.
  const isReset = next[0] !== identity()[0] && isFresh(next[0]);
  isOwn &&= !isReset;
  if (!isOwn) known = next;
  return isReset;
};
