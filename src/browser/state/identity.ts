/**
 * Who the events belong to, `<scope of the token>:identity` = reset id, contact, account, and the proof of both. A document's
 * own `identify` holds for its events; one that has named nobody uses what is stored, the last `identify` of the site.
 */

import { uuid } from "../../shared/uuid.js";
import type { Params } from "../../types/declared.js";
import type { Identity } from "../../types.js";
import { isPerPage, scopes } from "../config.js";
import { filed, get, isInMemory, remove, set } from "./storage.js";

export const IDENTITY = "identity";
/** Between the members: databases do not keep it in a text, so that no name of theirs holds it. */
const SEPARATOR = "\0";

/**
 * Reset id, contact, account and proof, as this document last read or wrote them. With `identity: "page"` the reset id is empty
 * until somebody logs out: what was before the document is over.
 */
export let identity: string[] = [""];
/** The reset id that stood as the document began, with `identity: "page"`. */
let first: string | undefined;
/** Has this document named somebody itself, who is still logged in? */
let hasNamed = false;

const formerKey = (): string => filed(IDENTITY, scopes[1]);

/** What is stored. What was known under the former token holds until somebody is named under this one, or logs out. */
const storedIdentity = (): string | undefined => get(filed(IDENTITY)) ?? get(formerKey());

/** Writes what is known. Where the storage is full, the row of who was named before must go all the same. */
export const keepIdentity = (): void => {
  const row = isPerPage() ? identity[0]! : identity.join(SEPARATOR);
  remove(formerKey());
  if (set(filed(IDENTITY), row)) return;
  remove(filed(IDENTITY));
  set(filed(IDENTITY), row);
};

/** Who is named: contact and account. */
export const who = (): Identity => identity.slice(1, 3) as Identity;

/** What the identity adds to the params of an event. */
export const identityParams = (): Params => {
  const [, , account_uid, identity_proof] = identity;
  return { ...(account_uid && { account_uid }), ...(identity_proof && { identity_proof }) };
};

export const identify = (...who: [contact: string, account: string, proof: string]): void => {
  identity = [identity[0]!, ...who];
  hasNamed = true;
  if (!isPerPage()) keepIdentity();
};

/** Makes reset ids. */
let newId = uuid;
/** An instance has those of the page. */
export const resetIdsBy = (next: () => string): void => {
  newId = next;
};

/** Forgets the contact. The new id, which is never sent, tells other documents so. */
export const resetIdentity = (): void => {
  identity = [newId()];
  hasNamed = false;
  keepIdentity();
  // Also where the visitor has yet to agree, and nothing is stored in its place. Not before: others must never find none.
  if (!isInMemory(filed(IDENTITY))) return;
  remove(filed(IDENTITY));
  keepIdentity();
};

/** Learns what other documents have stored. Where somebody has logged out since, what this one knew of its visitor is over. */
export const readIdentity = (): void => {
  // Where the page has emptied the storage, what is known holds.
  let next = storedIdentity()?.split(SEPARATOR) ?? identity;
  if (isPerPage()) {
    first ??= next[0]!;
    next = [next[0] === first ? "" : next[0]!];
  }
  // A document that knows of no reset has not undone one.
  hasNamed &&= !next[0] || next[0] === identity[0];
  if (!hasNamed) identity = next;
};
