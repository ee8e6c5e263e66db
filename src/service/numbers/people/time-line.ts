import { decodeText, UUID } from "../../base/exact-text.js";
import { wholeParams } from "../../base/params.js";
import type { Query } from "../../database/database.js";
import { conditionsOf, type Filter } from "./matching.js";
import { namesOf, numberOf } from "./names.js";

/** Characters of the params that are told: an event may be large. */
const MAX_PARAMS = 4_000;

/** Behind which event a page of a time line begins: when it was received, and its id. */
export const PLACE = RegExp(`^\\d{1,15}_${UUID.source.slice(1)}`);

/** Events of a time line, the newest first. `next` is where the next page begins. */
export const readTimeLine = async (
  query: Query,
  {
    workspace,
    filter,
    behind,
    limit,
  }: { workspace: string; filter: Filter; behind: string | undefined; limit: number },
) => {
  const { conditions, values } = conditionsOf(workspace, filter);
  const [time, id] = behind?.split("_") ?? [];
  const place = values.length + 3;
  const older = time === undefined ? "" : ` AND (received_at, id) < ($${place}::bigint, $${place + 1}::uuid)`;
  const rows = await query<Record<string, string | null>>(
    `SELECT id, received_at, occurred_at, contact_id, account_uid, event_uid, left(params, ${MAX_PARAMS}) AS params, stamp, source, number
     FROM events
     WHERE workspace = $1${conditions}${older} ORDER BY received_at DESC, id DESC LIMIT $2`,
    [workspace, limit + 1, ...values, ...(time === undefined ? [] : [time, id])],
  );
  const shown = rows.slice(0, limit);
  const names = await namesOf(query, "contact", [...new Set(shown.map(({ contact_id }) => contact_id!))]);
  const data = shown.map(({ contact_id, account_uid, event_uid, ...row }) => ({
    ...{ id: row.id!, received_at: Number(row.received_at), occurred_at: numberOf(row.occurred_at) },
    contact: { id: contact_id!, name: names.get(contact_id!)?.name ?? contact_id! },
    account_uid: account_uid ? decodeText(account_uid) : null,
    ...{
      event_uid: decodeText(event_uid!),
      params: row.params!.endsWith("}") ? wholeParams(row).slice(0, MAX_PARAMS) : row.params!,
    },
  }));
  const last = shown.at(-1);
  return { data, next: rows.length > limit ? `${last!.received_at}_${last!.id}` : null };
};
