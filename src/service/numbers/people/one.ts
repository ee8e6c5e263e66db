import { encodeText } from "../../base/exact-text.js";
import type { Query } from "../../database/database.js";
import { READ } from "../../records/records.js";
import type { Asked } from "../spans.js";
import { OF_OTHERS } from "../sums/keys.js";
import { conditionsOf, countMatching, type Filter } from "./matching.js";
import { nameIn, namesOf, numberOf } from "./names.js";

/** Contacts of an account, and accounts of a contact, that are listed. */
const MAX_LISTED = 200;

/** An account: its record, its members, its events by day in a calendar, and what it did in a time. */
export const readAccount = async (
  query: Query,
  asked: Asked,
  { id, filter, days }: { id: string; filter: Filter; days: number[] },
) => {
  const { workspace } = asked;
  const { object: _, contacts: _contacts, ...record } = await READ.account(query, workspace, id);
  const account = record.unique_id;
  const [members, counts, figures] = await Promise.all([
    membersOf(query, workspace, { id, account }),
    countDays(query, { workspace, steps: days }, { account }),
    countMatching(query, asked, { ...filter, account }),
  ]);
  return { ...{ ...record, name: nameIn(record.data) ?? account }, members, days: counts, figures };
};

/** The members of an account with the events that each has had in it, the last seen first. */
const membersOf = async (query: Query, workspace: string, { id, account }: { id: string; account: string }) => {
  const [rows, [counted]] = await Promise.all([
    query(
      `SELECT members.contact_id AS id, count(events.id) AS events, max(events.received_at) AS last_seen_at
       FROM (SELECT contact_id FROM account_contacts WHERE account_id = $2 AND ${OF_OTHERS}) AS members
       LEFT JOIN events ON events.contact_id = members.contact_id AND events.workspace = $1 AND events.account_uid = $3
       GROUP BY 1 ORDER BY 3 DESC NULLS LAST, 1 LIMIT ${MAX_LISTED}`,
      [workspace, id, encodeText(account)],
    ),
    query(`SELECT count(*) AS total FROM account_contacts WHERE account_id = $2 AND ${OF_OTHERS}`, [workspace, id]),
  ]);
  const names = await namesOf(
    query,
    "contact",
    rows.map((row) => String(row.id)),
  );
  const data = rows.map(({ id, events, last_seen_at }) => ({
    ...(names.get(String(id)) ?? { id: String(id), unique_id: String(id), name: String(id) }),
    ...{ events: Number(events), last_seen_at: numberOf(last_seen_at) },
  }));
  return { total: Number(counted!.total), data };
};

/** How many events match, by day. */
const countDays = async (
  query: Query,
  { workspace, steps }: Pick<Asked, "workspace" | "steps">,
  filter: Filter,
): Promise<number[]> => {
  const { conditions, values } = conditionsOf(workspace, filter, { since: steps[0]!, until: steps.at(-1)! });
  const rows = await query(
    `SELECT width_bucket(received_at, $${values.length + 3}::bigint[]) AS day, count(*) AS events
     FROM events WHERE workspace = $1 AND $2::int = 0${conditions} GROUP BY 1`,
    [workspace, 0, ...values, steps],
  );
  const counts = steps.slice(1).map(() => 0);
  for (const { day, events } of rows) counts[Number(day) - 1] = Number(events);
  return counts;
};

/** A contact: its record, its accounts, when it was first and last seen, and how many events it has. */
export const readContact = async (query: Query, workspace: string, id: string) => {
  const { object: _, accounts, ...record } = await READ.contact(query, workspace, id);
  const [[seen], names] = await Promise.all([
    query(
      "SELECT count(*) AS events, min(received_at) AS first, max(received_at) AS last FROM events WHERE contact_id = $1 AND workspace = $2",
      [id, workspace],
    ),
    namesOf(
      query,
      "account",
      accounts.data.slice(0, MAX_LISTED).map(({ id }) => id),
    ),
  ]);
  const { events, first, last } = seen!;
  return {
    ...{ ...record, name: nameIn(record.data) ?? record.unique_id },
    memberships: { total: accounts.total, data: [...names.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) },
    ...{ events: Number(events), first_seen_at: numberOf(first), last_seen_at: numberOf(last) },
  };
};
