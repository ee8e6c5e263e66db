import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, type TProperties, Type } from "typebox";
import { digest, encodeText, recordId } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { SECONDS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { errors } from "../http/error-answers.js";
import { makeRecords } from "../ingest/store/event-rows.js";
import { Account, activitySource, Contact, READ, Stage } from "../records/account-and-contact.js";

const strict = { additionalProperties: false };
export const Uid = Type.String({ minLength: 1 });
const [minimum, maximum] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const TOLD_HEALTH = {
  health: Type.Optional(Type.Union([Type.Number({ minimum, maximum }), Type.String({ maxLength: 200 }), Type.Null()])),
  health_source: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "As GET gives it; a `health` that it names was told by the service itself, and is not set",
    }),
  ),
};
const common = {
  created_at: Type.Optional(Type.Integer({ ...SECONDS, description: "Unix epoch, seconds" })),
  data: Type.Optional(Type.Object({}, { additionalProperties: true, description: "Custom attributes, all of them" })),
  stage: Type.Optional(Type.Union([Stage, Type.Null()])),
  ...TOLD_HEALTH,
  salesmachine: Type.Optional(
    Type.Object(TOLD_HEALTH, {
      additionalProperties: true,
      description: "`health` and `health_source`, as GET gives them",
    }),
  ),
};
/** What may be said of a record; it keeps what is left out. `import` takes the same. */
export const TRAITS = {
  account: common,
  contact: {
    ...common,
    archived: Type.Optional(Type.Boolean()),
    accounts: Type.Optional(
      Type.Array(Uid, { description: "Uids of accounts that it belongs to, besides those that it does" }),
    ),
  },
} satisfies Record<string, TProperties>;

const Traits = Type.Object(TRAITS.contact);

/** What is said of a record: of an account or a contact with its uid, of a user with its e-mail address. */
export interface NewRecord extends Static<typeof Traits> {
  id?: string;
  unique_id?: string;
  email?: string;
  [name: string]: unknown;
}

const COLUMNS = {
  accounts: ["id", "unique_id", "created_at", "data", "stage", "health"],
  contacts: ["id", "unique_id", "created_at", "archived", "data", "stage", "health"],
  users: ["id", "email", "name", "role", "enabled", "created_at"],
};
export type Table = keyof typeof COLUMNS;

/** An account or a contact has the id of its uid; a user may bring one. */
export const idOf = (table: Table, workspace: string, { id, unique_id, email }: NewRecord): string =>
  table === "users"
    ? (id ?? digest(`user:${workspace}/${email}`))
    : recordId(table === "accounts" ? "account" : "contact", unique_id!, workspace);

/** One that is only told by activity is not set. */
const healthColumn = ({ health, health_source }: Pick<NewRecord, "health" | "health_source">) =>
  health === undefined || health_source === activitySource(health)
    ? {}
    : { health: health === null ? null : JSON.stringify(health) };

/**
 * Makes or changes records, each once. Of one that is there only what is told is written: two who tell different members at once
 * lose nothing.
 *
 * @throws StartError where an id is that of a record of another workspace
 */
export const writeRecords = async (query: Query, table: Table, workspace: string, all: NewRecord[]): Promise<void> => {
  const created_at = Math.floor(Date.now() / 1_000);
  const groups = new Map<string, object[]>();
  for (const { accounts, data, stage, unique_id, health, health_source, salesmachine, ...rest } of all) {
    const told = {
      ...rest,
      ...healthColumn({ ...salesmachine, ...(health !== undefined && { health, health_source }) }),
      ...(unique_id !== undefined && { unique_id: encodeText(unique_id) }),
      ...(data !== undefined && { data: JSON.stringify(data) }),
      ...(stage !== undefined && { stage: stage && JSON.stringify(stage) }),
    };
    const changes = COLUMNS[table].filter((name) => name in told && name !== "id");
    const group = changes.map((name) => `${name} = excluded.${name}`).join(", ");
    const id = idOf(table, workspace, { ...rest, unique_id });
    const row = { created_at, data: "{}", archived: false, enabled: true, ...told, id };
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  const columns = COLUMNS[table].join(", ");
  const written = new Set<unknown>();
  for (const [changes, rows] of groups)
    for (const { id } of await query(
      `INSERT INTO ${table} (${columns}, workspace) SELECT ${columns}, $2 FROM json_populate_recordset(NULL::${table}, $1)
       ON CONFLICT (id) DO UPDATE SET ${changes} WHERE ${table}.workspace = excluded.workspace RETURNING id`,
      [JSON.stringify(rows), workspace],
    ))
      written.add(id);
  const other = all.map((one) => idOf(table, workspace, one)).find((id) => !written.has(id));
  if (other !== undefined) throw new StartError(`the id ${other} belongs to another workspace`);
  const memberships = all.flatMap(({ unique_id, accounts = [] }) =>
    accounts.map((accountUid) => ({ workspace, contactUid: unique_id!, accountUid, receivedAt: Date.now() })),
  );
  for (const { text, values } of makeRecords(memberships)) await query(text, values);
};

/** `PUT /v2/accounts` and `/v2/contacts`: make or change a record by its unique id. */
export const traitRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    for (const kind of ["account", "contact"] as const)
      app.put(
        `/v2/${kind}s`,
        {
          schema: {
            operationId: kind === "account" ? "updateAccount" : "updateContact",
            tags: ["admin"],
            summary: `Make or change one ${kind}`,
            description: "With the admin token. What the body leaves out stays as it is.",
            security: [{ bearer: [] }],
            querystring: Type.Object({ uid: Type.String({ minLength: 1, description: `Unique id of the ${kind}` }) }),
            body: Type.Object(TRAITS[kind], strict),
            response: {
              200: kind === "account" ? Account : Contact,
              ...errors(400, 401, 404, 405, 413, 415, 429, 500, 503),
            },
          },
        },
        async ({ body, query: { uid }, workspace }) => {
          await database.transaction((query) =>
            writeRecords(query, `${kind}s`, workspace, [{ ...body, unique_id: uid }]),
          );
          return READ[kind](database.query, workspace, recordId(kind, uid, workspace));
        },
      );
  };
