import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "typebox";
import { decodeText, encodeText, isUuid, parseJson, parseObject, recordId } from "../base/exact-text.js";
import { countIn, type Database, type Query } from "../database/database.js";
import { errors, notFound } from "../http/error-answers.js";

const open = { additionalProperties: true };

const Seconds = Type.Integer({ description: "Unix epoch, seconds" });
export const Stage = Type.Object({ name: Type.String(), id: Type.String() }, open);
const Metrics = Type.Object(
  {
    health: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    health_source: Type.Optional(
      Type.String({
        description: "Where nobody has set one: `activity: good`, `average` or `bad` (of this service alone)",
      }),
    ),
  },
  open,
);

/** What `health_source` says of a health that nobody has set. */
export const activitySource = (health: unknown): string => `activity: ${health}`;

/** The health that was set, as it was. */
export const healthOf = ({ health }: Record<string, unknown>): number | string | undefined =>
  (parseJson(String(health)) ?? undefined) as number | string | undefined;

const Data = Type.Object({}, { ...open, description: "Custom attributes" });
const references = <T extends "account" | "contact">(kind: T) =>
  Type.Object({
    object: Type.Literal(`${kind}.list`),
    data: Type.Array(Type.Object({ id: Type.String() }), { description: "The first 1,000" }),
    total: Type.Integer({ description: "How many there are (of this service alone)" }),
  });

const members = <T extends "account" | "contact">(kind: T) => ({
  object: Type.Literal(kind),
  id: Type.String({ description: "Internal id" }),
  unique_id: Type.String({ description: "The caller's id (`uid`)" }),
  created_at: Seconds,
  data: Data,
  stage: Type.Optional(Stage),
  salesmachine: Metrics,
});

export const Account = Type.Object(
  { ...members("account"), contacts: references("contact") },
  { ...open, $id: "Account", description: "An account" },
);

export const Contact = Type.Object(
  { ...members("contact"), archived: Type.Boolean(), accounts: references("account") },
  { ...open, $id: "Contact", description: "A contact" },
);

type Row = Record<string, unknown>;
type Kind = "account" | "contact";

/** `GET /v2/accounts` and `/v2/contacts`: an account or a contact by its internal id or its unique id. */
export const recordRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    for (const kind of ["account", "contact"] as const) {
      const name = kind === "account" ? "Account" : "Contact";
      const answers = { 200: kind === "account" ? Account : Contact, ...errors(400, 401, 404, 405, 429, 500, 503) };
      app.get(
        `/v2/${kind}s/:id`,
        {
          schema: {
            operationId: `get${name}`,
            tags: ["records"],
            summary: `Get one ${kind} by its internal id`,
            security: [{ bearer: [] }],
            params: Type.Object({ id: Type.String({ description: `Internal id of the ${kind}` }) }),
            response: answers,
          },
        },
        ({ params: { id }, workspace }) => {
          if (!isUuid(id)) throw notFound(`the ${kind}`);
          return READ[kind](database.query, workspace, id);
        },
      );
      app.get(
        `/v2/${kind}s`,
        {
          schema: {
            operationId: `find${name}ByUid`,
            tags: ["records"],
            summary: `Find one ${kind} by its unique id`,
            security: [{ bearer: [] }],
            querystring: Type.Object({ uid: Type.String({ minLength: 1, description: `Unique id of the ${kind}` }) }),
            response: answers,
          },
        },
        ({ query, workspace }) => READ[kind](database.query, workspace, recordId(kind, query.uid, workspace)),
      );
    }
  };

/** Ids that an answer holds at most: who has the token of the pages can put any number of contacts into an account. */
const MAX_OTHERS = 1_000;

/** The records on the other side of the memberships of one: how many there are, and the first ids. */
const others = async (query: Query, kind: Kind, id: string) => {
  const other = kind === "account" ? "contact" : "account";
  const data = await query<{ id: string }>(
    `SELECT ${other}_id AS id FROM account_contacts WHERE ${kind}_id = $1 ORDER BY ${other}_id LIMIT ${MAX_OTHERS}`,
    [id],
  );
  if (data.length < MAX_OTHERS) return { object: `${other}.list`, data, total: data.length };
  const total = await countIn(query, `account_contacts WHERE ${kind}_id = $1`, [id]);
  return { object: `${other}.list`, data, total };
};

/** What can be read: data that somebody has broken by SQL must not hide the rest of a record. */
const common = (row: Row) => {
  // A record that only its events tell of is in no stage and has no metrics yet.
  const stage = parseObject(row.stage);
  const health = healthOf(row);
  return {
    id: String(row.id),
    unique_id: decodeText(String(row.unique_id)),
    created_at: Number(row.created_at),
    data: parseObject(row.data) ?? {},
    ...(typeof stage?.id === "string" && typeof stage.name === "string" && { stage }),
    salesmachine: health === undefined ? {} : { health },
  };
};

/** The health by activity (`health_by` in `0002-days.sql`) of a record that has none set. Nothing is told of one's own people, nor of who belongs to one's own accounts alone. */
const withHealth = async <T extends { salesmachine: object }>(
  query: Query,
  workspace: string,
  { kind, id, record }: { kind: Kind; id: string; record: T },
): Promise<T> => {
  if ("health" in record.salesmachine) return record;
  const [row] = await query<{ health: string | null }>(
    `SELECT health_by(bit_count(bit_or((days & mask) << shift))) AS health
     FROM months_of(fortnight((SELECT zone FROM workspaces WHERE name = $1))) AS months JOIN active USING (month)
     WHERE workspace = $1 AND ${kind} = $2
     HAVING NOT EXISTS (SELECT FROM left_out WHERE workspace = $1 AND kind = $3 AND id = $2 AND NOT back)
       AND (count(*) FILTER (WHERE days & mask <> 0::bit(31)) > 0 OR (SELECT bool_and(account_id IN (SELECT id FROM left_out WHERE kind = 'account' AND NOT back))
                             FROM account_contacts WHERE contact_id = $2) IS NOT TRUE)`,
    [workspace, id, kind],
  );
  const health = row?.health;
  return health == null ? record : { ...record, salesmachine: { health, health_source: activitySource(health) } };
};

const read = async (query: Query, kind: Kind, workspace: string, id: string) => {
  const [[found], listed] = await Promise.all([
    query<Row>(`SELECT * FROM ${kind}s WHERE id = $1 AND workspace = $2`, [id, workspace]),
    others(query, kind, id),
  ]);
  const row = found ?? (kind === "contact" ? await contactOfEvents(query, workspace, id) : undefined);
  if (row === undefined) throw notFound(`the ${kind}`);
  const record = { object: kind, ...(await withHealth(query, workspace, { kind, id, record: common(row) })) };
  return kind === "account"
    ? { ...record, contacts: listed }
    : { ...record, archived: row.archived === true, accounts: listed };
};

/** The bare record of a contact that nothing but its events tells of: it begins with the first of them. */
const contactOfEvents = async (query: Query, workspace: string, id: string): Promise<Row | undefined> => {
  const [first] = await query<Row>(
    "SELECT contact_uid, received_at FROM events WHERE contact_id = $1 AND workspace = $2 ORDER BY id LIMIT 1",
    [id, workspace],
  );
  if (first === undefined) return undefined;
  const created_at = Math.floor(Number(first.received_at) / 1_000);
  return { id, unique_id: first.contact_uid, created_at, archived: false, data: "{}", stage: null, health: null };
};

/** Reads one by its internal id. @throws HttpError 404 */
export const READ = {
  account: (query: Query, workspace: string, id: string) =>
    read(query, "account", workspace, id) as Promise<Static<typeof Account>>,
  contact: (query: Query, workspace: string, id: string) =>
    read(query, "contact", workspace, id) as Promise<Static<typeof Contact>>,
};

const MAX_NAMED = 10;

/** Of which contacts is there anything: a record, or an event? */
export const contactsThere = async (query: Query, workspace: string, uids: readonly string[]): Promise<string[]> => {
  const ids = uids.map((uid) => recordId("contact", uid, workspace));
  const rows = await query<{ id: string }>(
    `SELECT id FROM contacts WHERE id = ANY ($1::uuid[])
     UNION SELECT contact_id FROM events WHERE contact_id = ANY ($1::uuid[])`,
    [ids],
  );
  return uids.filter((_, at) => rows.some(({ id }) => id === ids[at]));
};

/** Uids of other contacts that differ from this one by upper and lower case only. */
export const similarContacts = async ({ query }: Database, workspace: string, uid: string): Promise<string[]> => {
  const found = new Set<string>();
  for (const [table, column] of [
    ["contacts", "unique_id"],
    ["events", "contact_uid"],
  ]) {
    const rows = await query<{ uid: string }>(
      `SELECT DISTINCT ${column} AS uid FROM ${table}
       WHERE workspace = $1 AND lower(${column}) = lower($2) AND ${column} <> $2 ORDER BY uid LIMIT ${MAX_NAMED}`,
      [workspace, encodeText(uid)],
    );
    for (const row of rows) found.add(decodeText(row.uid));
  }
  return [...found];
};
