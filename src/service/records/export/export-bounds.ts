import { encodeText, recordId } from "../../base/exact-text.js";
import { idAt, LATE_MS } from "../../database/event-id.js";
import { ofAccount } from "../of-account.js";
import type { Table } from "./exported.js";

/* Which rows of a table are exported. */

export interface ExportOptions {
  table: Table;
  workspace: string;
  /** Uid of the contact that the events, or the one record, are of. */
  contact?: string | undefined;
  /** Of events: only those of this account. */
  account?: string | undefined;
  /** Of events: only those of this name. */
  eventUid?: string | undefined;
  /** Events received from then on; epoch milliseconds. */
  since?: number | undefined;
  /** Events received before; epoch milliseconds. */
  until?: number | undefined;
}

/** The name that the interface has for page views. */
const PAGE_VIEW = "pageview";

/** The conditions of a row, behind that of the workspace (`$1`) and a limit (`$2`). */
export const boundsOf = ({ table, workspace, contact, account, eventUid, since, until }: ExportOptions) => {
  const values: unknown[] = [];
  let conditions = "";
  const bound = (condition: string, value: unknown) => {
    conditions += ` AND ${condition} $${values.push(value) + 2}`;
  };
  const isEvents = table === "events";
  if (contact !== undefined) bound(isEvents ? "contact_id =" : "id =", recordId("contact", contact, workspace));
  if (account !== undefined) {
    const id = values.push(recordId("account", account, workspace)) + 2;
    const uid = values.push(encodeText(account)) + 2;
    conditions += ` AND ${ofAccount({ workspace: "$1", id: `$${id}`, uid: `$${uid}` })}`;
  }
  if (eventUid !== undefined) {
    bound("event_uid =", encodeText(eventUid));
    // Page views stand in no index of names: there are so many that they are met among the events by id.
    if (eventUid !== PAGE_VIEW)
      conditions += ` AND event_uid <> '${PAGE_VIEW}' AND left(event_uid, 64) = left($${values.length + 2}, 64)`;
  }
  if (isEvents && since !== undefined) {
    bound("received_at >=", since);
    bound("id >=", idAt(since));
  }
  if (isEvents && until !== undefined) {
    bound("received_at <", until);
    // Nothing later is looked at, but for what was imported.
    bound(
      "id <= greatest((SELECT id FROM events WHERE workspace = $1 AND origin_id IS NOT NULL ORDER BY id DESC LIMIT 1),",
      idAt(until + LATE_MS),
    );
    conditions += ")";
  }
  return { conditions, values };
};
