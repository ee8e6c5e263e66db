/** Events that were tracked before anybody was named get contact and account, or are forgotten. */
import type { TrackEvent } from "../../types.js";
import { write } from "../json.js";
import { identity, readIdentity } from "../state/identity.js";
import { change, drop, enlist, lists, put } from "./queue.js";
import { contentOf, isOwn, type Row } from "./row.js";

/** Has somebody logged out since the event was tracked, without its contact? Nothing is tracked so after a log-out. */
export const isForgotten = ({ isAddressed }: Row): boolean => !isAddressed && !!identity[0];

/** Gives the event the contact and the account. The event's own account wins. */
export const address = (row: Row): void => {
  const [, contact_uid, account_uid] = identity;
  const { params, ...event } = JSON.parse(row.body) as TrackEvent;
  const body = write({ contact_uid, ...event, params: { account_uid: account_uid || undefined, ...params } });
  change(row, contentOf(body));
  put(row);
};

/**
 * Somebody may have been named or have logged out: what waits for that gets its contact, this tab's at once, that of other tabs
 * when it is sent; or it goes.
 */
export const addressAll = (): void => {
  for (const row of [...lists.unaddressed])
    if (identity[0]) drop(row);
    else if (identity[1] && isOwn(row)) address(row);
    else enlist(row);
};

/** Learns whom other documents have named, and whether somebody has logged out. */
export const readVisitor = (): void => {
  readIdentity();
  addressAll();
};
