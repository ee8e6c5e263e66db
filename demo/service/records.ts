import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "typebox";
import type { Database, Query } from "./database.js";
import { notFound } from "./errors.js";
import { decodeText, encodeText, recordId } from "./exact-text.js";
import { Account, Contact, errors } from "./schemas.js";

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
        ({ params }) => READ[kind](database.query, encodeText(params.id)),
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
        ({ query }) => READ[kind](database.query, recordId(kind, query.uid)),
      );
    }
  };

const find = async (query: Query, kind: Kind, id: string): Promise<{ row: Row; others: { id: string }[] }> => {
  const other = kind === "account" ? "contact" : "account";
  const [rows, others] = await Promise.all([
    query<Row>(`SELECT * FROM ${kind}s WHERE id = $1`, [id]),
    query<{ id: string }>(`SELECT ${other}_id AS id FROM account_contacts WHERE ${kind}_id = $1 ORDER BY ${other}_id`, [
      id,
    ]),
  ]);
  if (rows[0] === undefined) throw notFound(`the ${kind}`);
  return { row: rows[0], others };
};

const common = (row: Row) => ({
  id: String(row.id),
  unique_id: decodeText(String(row.unique_id)),
  created_at: Number(row.created_at),
  data: JSON.parse(String(row.data)),
  // A contact made by an event alone is in no stage and has no metrics yet.
  ...(row.stage !== null && { stage: JSON.parse(String(row.stage)) }),
  salesmachine: row.health === null ? {} : { health: Number(row.health) },
});

const readAccount = async (query: Query, id: string) => {
  const { row, others } = await find(query, "account", id);
  return { object: "account", ...common(row), contacts: { object: "contact.list", data: others } } as Static<
    typeof Account
  >;
};

const readContact = async (query: Query, id: string) => {
  const { row, others } = await find(query, "contact", id);
  return {
    object: "contact",
    ...common(row),
    archived: row.archived === true,
    accounts: { object: "account.list", data: others },
  } as Static<typeof Contact>;
};

const READ = { account: readAccount, contact: readContact };
