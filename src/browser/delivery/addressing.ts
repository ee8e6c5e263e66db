/** Events that were tracked before anybody was named get contact and account, or are forgotten. */
import type { TrackEvent } from "../../types.js";
import { write } from "../json.js";
import { identity, identityParams, readIdentity } from "../state/identity.js";
import { getStored } from "../state/storage.js";
import { change, drop, enlist, lists, put, rows } from "./queue.js";
import { contentOf, isOwn, type Row } from "./row.js";

/** Has somebody logged out since the event was tracked, without its contact? Without a reset id nobody has. */
export const isForgotten = ({ isAddressed, resetId }: Row): boolean =>
  !isAddressed && !!identity[0] && identity[0] !== resetId;

/** Gives the event the contact and the account. The event's own account wins. */
export const address = (row: Row): void => {
  const { params, ...event } = JSON.parse(row.body) as TrackEvent;
  const body = write({ contact_uid: identity[1], ...event, params: { ...identityParams(), ...params } });
  change(row, contentOf(body));
  put(row);
};

/** Somebody may have been named: this tab's events are addressed at once, those of other tabs when they are sent. */
export const addressAll = (): void => {
  if (identity[1]) for (const row of [...lists.unaddressed]) (isOwn(row) ? address : enlist)(row);
};

/** What waits here with the proof of before, goes with the new one of the same contact and account. */
export const renewProof = (contact: string, account: string, proof: string): void => {
  const [, before, accountBefore, proofBefore] = identity;
  if (!proofBefore || proofBefore === proof || before !== contact || accountBefore !== account) return;
  // Another tab may have delivered it.
  for (const row of rows.values())
    if (isOwn(row) && getStored(row.key)) {
      change(row, contentOf(row.body.replace(proofBefore, proof)));
      put(row);
    }
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
