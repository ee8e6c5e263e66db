import { encodeText } from "../../base/exact-text.js";
import type { Query } from "../../database/database.js";
import { MAX_ROWS } from "../count-keys.js";
import { type Asked, dayIn } from "../spans.js";
import {
  accountsOf,
  activeMembersOf,
  type Bind,
  countSteps,
  createBind,
  lastSeenOf,
  membersOf,
  readCounts,
} from "./count-accounts.js";
import { namesOf } from "./names.js";

/* The accounts of a time: a page of all, and those at the top. All are counted, whatever is shown of them. */

/** Which accounts are meant. One falls where it has lost a quarter of its events, and is not silent. */
const SHOW = {
  all: "events > 0",
  falling: "events > 0 AND events <= before * 0.75",
  silent: "events = 0",
} as const;
export const SHOWN = Object.keys(SHOW) as (keyof typeof SHOW)[];

/** Lists have no order by letters alone, whatever the database has been made with. */
const ICU = 'COLLATE "und-x-icu"';

/** Of all accounts of a time, `IN (SELECT id FROM counted)`, what they are sorted by: a table with `id` and `count`, or an expression. */
const OF_ALL = "IN (SELECT id FROM counted)";
const SORTED: Record<string, { by: string; of?: (bind: Bind, asked: Asked) => string }> = {
  name: { by: `lower(name ${ICU})` },
  contacts: { by: "coalesce(count, 0)", of: () => membersOf(OF_ALL) },
  active_contacts: { by: "coalesce(count, 0)", of: (bind, asked) => activeMembersOf(bind, asked, OF_ALL) },
  events: { by: "events" },
  change: { by: "events - before" },
  last_seen_on: { by: "count", of: (bind, asked) => lastSeenOf(bind, asked, "IS NOT NULL") },
};
export const SORTS = ["name", "contacts", "active_contacts", "events", "change", "last_seen_on"] as const;

/** Added up, not joined: how many rows there are, the planner does not know, and would compare each with each. */
const SORTED_ONES = `(
  SELECT id, max(events) AS events, max(before) AS before, max(count) AS count
  FROM (SELECT id, events, before, NULL::bigint AS count FROM shown UNION ALL SELECT id, NULL, NULL, count FROM sorted) AS one_or_other
  GROUP BY id HAVING max(events) IS NOT NULL) AS sorted_ones`;

/** Those of which events alone tell stand apart once they are so many times those of which somebody has told something: strangers make them. */
const FOLD = 10;

export interface ListAsked {
  search: string;
  show: (typeof SHOWN)[number];
  sort: (typeof SORTS)[number];
  order: "asc" | "desc";
  offset: number;
  limit: number;
  /** Those that stand apart, in place of the others. */
  others: boolean;
}

/** The name in the data of an account, else its uid. What PostgreSQL cannot read as JSON is not looked at. */
const NAME = `coalesce(CASE WHEN data LIKE '{%"name"%' AND data !~ '\\\\u(0000|[dD][89a-fA-F])' AND json_typeof(data::json -> 'name') = 'string'
  THEN nullif(data::json ->> 'name', '') END, unique_id, counted.id::text)`;

interface Row {
  id: string;
  events: number;
  before: number;
}

/** The accounts that were active in a time, or in the time before, with what they did. */
export const listAccounts = async (
  query: Query,
  asked: Asked & { zone: string },
  { search, show, sort, order, offset, limit, others }: ListAsked,
) => {
  const { bind, values } = createBind();
  const { by, of } = SORTED[sort]!;
  const count = (which: string) => `count(*) FILTER (WHERE ${which})`;
  const apart = `NOT is_known AND ${SHOW[show]}`;
  const contains = (column: string, text: string) =>
    `strpos(lower(${column} ${ICU}), lower(${bind(text)}::text ${ICU})) > 0`;
  const which =
    search !== ""
      ? `(${contains("name", search)} OR ${contains("unique_id", encodeText(search))})`
      : others
        ? "NOT is_known"
        : "(is_known OR NOT (SELECT is_folded FROM sums))";
  const [found] = await query<{
    sums: Record<"active" | "falling" | "silent" | "others" | "other_events", number> & { is_folded: boolean };
    total: unknown;
    page: Row[] | null;
  }>(
    `WITH counted AS MATERIALIZED (
       SELECT counted.*, coalesce(unique_id, counted.id::text) AS unique_id, ${NAME} AS name,
              coalesce(data <> '{}' OR stage IS NOT NULL OR health IS NOT NULL OR health_value IS NOT NULL, FALSE) AS is_known
       FROM (${accountsOf(bind, asked)}) AS counted LEFT JOIN accounts ON accounts.id = counted.id),
     sums AS MATERIALIZED (
       SELECT ${count(SHOW.all)} AS active, ${count(SHOW.falling)} AS falling, ${count(SHOW.silent)} AS silent,
              ${count(apart)} AS others, coalesce(sum(events) FILTER (WHERE ${apart}), 0) AS other_events,
              ${count("is_known")} > 0 AND ${count("NOT is_known")} > ${FOLD} * ${count("is_known")} AS is_folded
       FROM counted),
     shown AS MATERIALIZED (
       SELECT counted.* FROM counted WHERE ${SHOW[show]} AND ${which})${of === undefined ? "" : `, sorted AS MATERIALIZED (${of(bind, asked)})`}
     SELECT (SELECT to_json(sums) FROM sums) AS sums, (SELECT count(*) FROM shown) AS total,
       (SELECT json_agg(page) FROM (
          SELECT id, events, before FROM ${of === undefined ? "shown" : SORTED_ONES}
          ORDER BY ${by} ${order}, id LIMIT ${bind(limit)} OFFSET ${bind(offset)}) AS page) AS page`,
    values,
  );
  const rows = found!.page ?? [];
  const ids = rows.map(({ id }) => id);
  const [names, members, active, seen, stepsOf] = await Promise.all([
    namesOf(query, "account", ids),
    readCounts(query, ids, (_, whose) => membersOf(whose)),
    readCounts(query, ids, (bind, whose) => activeMembersOf(bind, asked, whose)),
    readCounts(query, ids, (bind, whose) => lastSeenOf(bind, asked, whose)),
    countSteps(query, asked, ids),
  ]);
  const data = rows.map(({ id, events, before }) => ({
    ...(names.get(id) ?? { id, unique_id: id, name: id }),
    ...{ contacts: members.get(id) ?? 0, active_contacts: active.get(id) ?? 0 },
    ...{ events, before, change: events - before, ...stepsOf(id), last_seen_on: dayIn(asked.zone, seen.get(id)!) },
  }));
  const { is_folded, others: amount, other_events, ...counts } = found!.sums;
  const apartOnes = is_folded && search === "" && !others ? { total: amount, events: other_events } : null;
  return { ...counts, total: Number(found!.total), offset, others: apartOnes, data };
};

/** The accounts that do most, and those that have lost most events against the time before. */
export const busiestAccounts = async (query: Query, asked: Asked) => {
  const { bind, values } = createBind();
  const top = (where: string, by: string) =>
    `(SELECT json_agg(top) FROM (SELECT * FROM counted WHERE ${where} ORDER BY ${by}, id LIMIT ${MAX_ROWS}) AS top)`;
  const [row] = await query<{ events: unknown; before: unknown; busiest: Row[] | null; fell: Row[] | null }>(
    `WITH counted AS MATERIALIZED (${accountsOf(bind, asked)})
     SELECT coalesce(sum(events), 0) AS events, coalesce(sum(before), 0) AS before,
            ${top("events > 0", "events DESC, before DESC")} AS busiest, ${top("events < before", "events - before, before DESC")} AS fell FROM counted`,
    values,
  );
  const [busiest, fell] = [row!.busiest ?? [], row!.fell ?? []];
  const names = await namesOf(query, "account", [...new Set([...busiest, ...fell].map(({ id }) => id))]);
  const named = ({ id, ...one }: Row) => ({
    ...{ id, key: names.get(id)?.unique_id ?? id, name: names.get(id)?.name ?? id, ...one },
  });
  const sums = { total: Number(row!.events), before: Number(row!.before) };
  return { busiest: { ...sums, data: busiest.map(named) }, fell: fell.map(named) };
};
