/** Events that were tracked before anybody was named get contact and account, or are forgotten. */
import type { TrackEvent } from "../../types.js";
import { write } from "../json.js";
import { followIdentity, identity } from "../state/identity.js";
import { changeBody, drop, enlist, put, unaddressed } from "./queue.js";
import { isAddressed, isOwn, type Row } from "./row.js";

/** Has somebody logged out since the event was tracked, without its contact? Without a reset id nobody has. */
export const isForgotten = (row: Row): boolean => {
  const [resetId] = identity();
  return !isAddressed(row) && !!resetId && resetId !== row.resetId;
};

/** Gives the event the contact and the account, where somebody is named. The event's own account wins. */
export const address = (row: Row): void => {
  const [, contact_uid, account_uid] = identity();
  if (!contact_uid || isAddressed(row)) return;
  const { params, ...event } = JSON.parse(row.body) as TrackEvent;
  changeBody(row, write({ contact_uid, ...event, params: { account_uid: account_uid || undefined, ...params } }));
  put(row);
};

/** Somebody may have been named: this tab's events are addressed at once, those of other tabs when they are sent. */
export const addressAll = (): void => {
  for (const row of [...unaddressed]) {
    if (isOwn(row)) address(row);
    enlist(row);
  }
};

/** Somebody has logged out. */
export const forgetUnaddressed = (): void => {
  for (const row of unaddressed) drop(row);
};

/** Learns whom other documents have named, and whether somebody has logged out. */
export const followVisitor = (): void => {
  if (followIdentity()) forgetUnaddressed();
  addressAll();
};
