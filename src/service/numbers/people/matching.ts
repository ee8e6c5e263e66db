import { encodeText } from "../../base/exact-text.js";
import type { Query } from "../../database/database.js";
import { boundsOf } from "../../records/export.js";
import { MAX_ROWS, toKey, toKeys, toSeries } from "../count-keys.js";
import type { Asked } from "../spans.js";
import { COUNTED, HOST, KINDS, OF_OTHERS } from "../sums/keys.js";
import { nameAccounts, nameContacts } from "./names.js";

/** Which events: those of a name, a page, a referrer's host, an account or a contact (by their uids). */
export interface Filter {
  event_uid?: string | undefined;
  host?: string | undefined;
  path?: string | undefined;
  referrer?: string | undefined;
  account?: string | undefined;
  contact?: string | undefined;
}

/** Events that are looked at: the latest, where there are more. */
const MAX_EVENTS = 200_000;

/** The conditions of a filter: the workspace is `$1`, a limit `$2`. */
export const conditionsOf = (workspace: string, filter: Filter, time: { since?: number; until?: number } = {}) => {
  const { event_uid: eventUid, account, contact, host, path, referrer } = filter;
  const bounds = boundsOf({ table: "events", workspace, account, contact, eventUid, ...time });
  const values = [...bounds.values];
  // Who asks for one of one's own sees what it did.
  const counted = contact === undefined ? ` AND ${account === undefined ? COUNTED : OF_OTHERS}` : "";
  let conditions = bounds.conditions + counted;
  for (const [key, where, value] of [
    [HOST, KINDS.path.where, host],
    [KINDS.path.key, KINDS.path.where, path],
    [KINDS.referrer.key, KINDS.referrer.where, referrer],
  ] as const)
    if (value !== undefined) conditions += ` AND ${where} AND ${key} = $${values.push(encodeText(value)) + 2}`;
  return { conditions, values };
};

/** Of each key of a column how many events match, now and in the time before. */
const counted = (column: string): string =>
  `(SELECT ${column} AS key, count(*) FILTER (WHERE step > 0) AS events, count(*) FILTER (WHERE step = 0) AS before
    FROM matching WHERE ${column} IS NOT NULL GROUP BY 1) AS counted`;
const top = (kind: string, column: string): string =>
  `(SELECT '${kind}' AS kind, key, 1 AS step, events, before, sum(events) OVER () AS total, sum(before) OVER () AS total_before
    FROM ${counted(column)} ORDER BY events DESC, key LIMIT ${MAX_ROWS + 1})`;
const fallen = (column: string): string =>
  `(SELECT 'fell', key, 1, events, before, 0, 0 FROM ${counted(column)}
    WHERE events < before ORDER BY events - before, key LIMIT ${MAX_ROWS})`;
const different = (kind: string, column: string): string =>
  `SELECT '${kind}', '', step, count(DISTINCT ${column}), 0, 0, 0 FROM matching GROUP BY step
   UNION ALL SELECT '${kind}', '', -1, count(DISTINCT ${column}), 0, 0, 0 FROM matching WHERE step > 0`;

type Row = Record<string, unknown>;

/** The figures of the events that match, as `GET /v2/numbers` tells those of all, and whose they are. */
export const countMatching = async (query: Query, asked: Asked, filter: Filter) => {
  const { workspace, steps, before } = asked;
  const { conditions, values } = conditionsOf(workspace, filter, { since: before[0]!, until: steps.at(-1)! });
  const [first, end, cuts] = [1, 2, 3].map((at) => `$${values.length + 2 + at}`);
  const rows = await query<Row>(
    `WITH matching AS MATERIALIZED (
       SELECT contact_id::text AS contact_id, nullif(account_uid, '') AS account_uid, event_uid, width_bucket(received_at, ${cuts}::bigint[]) AS step,
              CASE WHEN ${KINDS.path.where} THEN ${KINDS.path.key} END AS path,
              CASE WHEN ${KINDS.referrer.where} THEN ${KINDS.referrer.key} END AS referrer
       FROM events WHERE workspace = $1${conditions} AND (received_at >= ${first} OR received_at < ${end})
       ORDER BY id DESC LIMIT $2)
     ${top("path", "path")} UNION ALL ${top("referrer", "referrer")} UNION ALL ${top("account", "account_uid")}
     UNION ALL ${top("contact", "contact_id")} UNION ALL ${fallen("account_uid")}
     UNION ALL SELECT 'event', event_uid, step, count(*), 0, 0, 0 FROM matching GROUP BY 2, 3
     UNION ALL ${different("contacts", "contact_id")} UNION ALL ${different("accounts", "account_uid")}`,
    [workspace, MAX_EVENTS, ...values, steps[0], before.at(-1), steps],
  );
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  const events = toSeries(asked, of("event"));
  const [busiest, fell, people] = await Promise.all([
    nameAccounts(query, workspace, toKeys(of("account"))),
    nameAccounts(query, workspace, { ...toKeys(of("fell")), data: of("fell").map(toKey) }),
    nameContacts(query, toKeys(of("contact"))),
  ]);
  return {
    ...{ events, pages: toKeys(of("path")), referrers: toKeys(of("referrer")), busiest, fell: fell.data, people },
    ...{ contacts: toActive(steps, of("contacts")), accounts: toActive(steps, of("accounts")) },
    cut: events.total + events.before === MAX_EVENTS,
  };
};

const toActive = (steps: readonly number[], rows: Row[]) => {
  const of = (step: number) => Number(rows.find((row) => Number(row.step) === step)?.events ?? 0);
  return { total: of(-1), before: of(0), counts: steps.slice(1).map((_, at) => of(at + 1)), approximate: false };
};
