/** Events that were tracked before an `identify` get contact and account, or are dropped after a log-out. */
import type { TrackEvent } from "../../types.js";
import { identity, identityParams, readIdentity } from "../state/identity.js";
import { get } from "../state/storage.js";
import { change, drop, enlist, lists, move, put, rows } from "./queue.js";
import { contentOf, isOwn, type Row } from "./row.js";

/** Has somebody logged out since the event was tracked, without its contact? Nothing is tracked so after a log-out. */
export const isForgotten = ({ isAddressed }: Row): boolean => !isAddressed && !!identity[0];

/** Makes the body of an event that has got its contact; nothing where the page's hook drops it. */
export type Seal = (event: TrackEvent, isStamped: boolean) => string | undefined;

let seal: Seal;

/** To be called before all else. */
export const sealBy = (next: Seal): void => {
  seal = next;
};

/** Gives the event the contact and the account, which wins over that of the options. The event's own account wins over both. */
export const address = (row: Row): void => {
  const { params, ...event } = JSON.parse(row.body) as TrackEvent;
  // The hook may call verbs, which must not find it waiting.
  move(row);
  const given = { ...identityParams(), ...params, ...(row.account && identityParams()) };
  const body = seal({ contact_uid: identity[1], ...event, params: given }, !!row.stamped);
  // An `optOut()` of the hook has taken it away.
  if (!rows.has(row.key)) return;
  if (body) {
    change(row, contentOf(body));
    put(row);
  } else drop(row);
};

/**
 * Somebody may have been named or have logged out: what waits for that gets its contact, this tab's at once, that of other tabs
 * when it is sent; or it goes.
 */
export const addressAll = (): void => {
  // A verb that the hook called may have done it.
  for (const row of [...lists.unaddressed])
    if (row.list !== lists.unaddressed) continue;
    else if (identity[0]) drop(row);
    else if (identity[1] && isOwn(row)) address(row);
    else enlist(row);
};

/** Events that wait here with an older proof of this contact and account get the new one. */
export const renewProof = (contact: string, account: string, proof: string): void => {
  const [, before, accountBefore, proofBefore] = identity;
  if (!proofBefore || proofBefore === proof || before !== contact || accountBefore !== account) return;
  // Another tab may have delivered it.
  for (const row of rows.values())
    if (isOwn(row) && get(row.key)) {
      change(row, contentOf(row.body.replace(proofBefore, proof)));
      put(row);
    }
};

/** Learns whom other documents have named, and whether somebody has logged out. */
export const readVisitor = (): void => {
  readIdentity();
  addressAll();
};
