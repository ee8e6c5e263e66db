/** Events that were tracked before anybody was named get contact and account, or are forgotten. */
import type { TrackEvent } from "../../types.js";
import { write } from "../json.js";
import { followIdentity, identity } from "../state/identity.js";
import { get } from "../state/storage.js";
import { isAddressed } from "./event-key.js";
import { drop, put, rows } from "./queue.js";
import { letGo } from "./tabs.js";

/** Gives this tab's events the contact and the account, where somebody is named. The event's own account wins. */
export const address = (): void => {
  const [, contact_uid, account_uid] = identity();
  if (!contact_uid) return;
  for (const [key, body] of rows)
    if (!isAddressed(body) && !letGo(key)) {
      const { params, ...event } = JSON.parse(body) as TrackEvent;
      put(key, write({ contact_uid, ...event, params: { account_uid: account_uid || undefined, ...params } }));
    }
};

/** Somebody has logged out: drops those of these events that nobody was named for. */
export const forgetUnaddressed = (keys: Iterable<string>): void => {
  for (const key of keys) if (!isAddressed(rows.get(key) ?? get(key) ?? "")) drop(key);
};

/** Learns whom other documents have named, and whether somebody has logged out. */
export const followVisitor = (): void => {
  if (followIdentity()) forgetUnaddressed(rows.keys());
  address();
};
