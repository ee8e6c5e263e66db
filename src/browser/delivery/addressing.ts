/** Events that were tracked before anybody was named get contact and account, or are forgotten. */
import type { TrackEvent } from "../../types.js";
import { write } from "../json.js";
import { identity, readIdentity } from "../state/identity.js";
import { change, drop, enlist, lists, put } from "./queue.js";
import { contentOf, isOwn, type Row } from "./row.js";

/** Has somebody logged out since the event was tracked, without its contact? Without a reset id nobody has. */
export const isForgotten = ({ isAddressed, resetId }: Row): boolean =>
  !isAddressed && !!identity[0] && identity[0] !== resetId;

/** Gives the event the contact and the account. The event's own account wins. */
export const address = (row: Row): void => {
  const [, contact_uid, account_uid] = identity;
  const { params, ...event } = JSON.parse(row.body) as TrackEvent;
  const body = write({ contact_uid, ...event, params: { account_uid: account_uid || undefined, ...params } });
  change(row, contentOf(body));
  put(row);
};

/** Somebody may have been named: this tab's events are addressed at once, those of other tabs when they are sent. */
export const addressAll = (): void => {
  if (identity[1]) for (const row of [...lists.unaddressed]) (isOwn(row) ? address : enlist)(row);
};

/** Somebody has logged out. */
export const forgetUnaddressed = (): void => {
  for (const row of lists.unaddressed) drop(row);
};

/** Learns whom other documents have named, and whether somebody has logged out. */
export const readVisitor = (): void => {
  if (readIdentity()) forgetUnaddressed();
  addressAll();
};
