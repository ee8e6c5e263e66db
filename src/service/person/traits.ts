import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, type TProperties, Type } from "typebox";
import { encodeText, recordId } from "../base/exact-text.js";
import { SECONDS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { errors } from "../http/errors.js";
import { makeRecords } from "../ingest/store/make-records.js";
import { Account, Contact, Stage } from "../records/record-schemas.js";
import { READ } from "../records/records.js";

const strict = { additionalProperties: false };
export const Uid = Type.String({ minLength: 1 });
const [minimum, maximum] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const common = {
  created_at: Type.Optional(Type.Integer({ ...SECONDS, description: "Unix epoch, seconds" })),
  data: Type.Optional(Type.Object({}, { additionalProperties: true, description: "Custom attributes, all of them" })),
  stage: Type.Optional(Type.Union([Stage, Type.Null()])),
  health: Type.Optional(Type.Union([Type.Integer({ minimum, maximum }), Type.Null()])),
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

type Kind = keyof typeof TRAITS;
const Traits = Type.Object(TRAITS.contact);
type Traits = Static<typeof Traits>;

/** What a new record is, as its columns hold it. */
export const newRecord = (): Record<string, unknown> => ({
  created_at: Math.floor(Date.now() / 1_000),
  data: "{}",
  stage: null,
  health: null,
  archived: false,
  enabled: true,
});

/** Traits as the columns hold them. */
export const columnsOf = ({ accounts, data, stage, ...rest }: Traits): Record<string, unknown> => ({
  ...rest,
  ...(data !== undefined && { data: JSON.stringify(data) }),
  ...(stage !== undefined && { stage: stage && JSON.stringify(stage) }),
});

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
          await database.transaction((query) => update(query, kind, { workspace, uid, traits: body }));
          return READ[kind](database.query, workspace, recordId(kind, uid, workspace));
        },
      );
  };

/** Two that change different members of a record at once lose nothing: only those that are given are written. */
const update = async (
  query: Query,
  kind: Kind,
  { workspace, uid, traits }: { workspace: string; uid: string; traits: Traits },
): Promise<void> => {
  const given = columnsOf(traits);
  const { archived, enabled, ...others } = newRecord();
  const row = {
    ...{ id: recordId(kind, uid, workspace), unique_id: encodeText(uid), workspace },
    ...{ ...others, ...(kind === "contact" && { archived }) },
    ...given,
  };
  const marks = Object.keys(row).map((_, at) => `$${at + 1}`);
  const changes = Object.keys(given).map((name) => `${name} = excluded.${name}`);
  await query(
    `INSERT INTO ${kind}s (${Object.keys(row).join(", ")}) VALUES (${marks.join(", ")})
     ON CONFLICT (id) DO ${changes.length > 0 ? `UPDATE SET ${changes.join(", ")}` : "NOTHING"}`,
    Object.values(row),
  );
  const told = (traits.accounts ?? []).map((accountUid) => ({
    ...{ workspace, accountUid },
    contactUid: uid,
    receivedAt: Date.now(),
  }));
  for (const { text, values } of makeRecords(told)) await query(text, values);
};
