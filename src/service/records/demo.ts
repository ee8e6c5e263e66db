import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { DEFAULT_WORKSPACE, decodeText, parseObject, UUID } from "../base/exact-text.js";
import type { Database } from "../database/database.js";
import { readIntegers } from "../http/validation.js";
import { accountsOf, exportPage, jsonLine } from "./export-page.js";

const EventQuery = Type.Object({
  contact_uid: Type.Optional(Type.String()),
  event_uid: Type.Optional(Type.String()),
  after: Type.Optional(Type.String({ pattern: UUID.source })),
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
  order: Type.Enum(["asc", "desc"], { default: "asc" }),
});

/** Contacts that are listed at most: the demo has far fewer. */
const MAX_CONTACTS = 200;

const named = ({ unique_id, data }: Record<string, unknown>) => {
  const uid = decodeText(String(unique_id));
  return { uid, name: (parseObject(String(data))?.name as string | undefined) ?? uid };
};
const byUid = (a: { uid: string }, b: { uid: string }): number => (a.uid < b.uid ? -1 : 1);

/** What only the demo and the tests read: outside the interface, without a token, to be kept to this machine. */
export const demoRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/demo/events",
      {
        config: { unlimited: true },
        preValidation: readIntegers("limit"),
        schema: { querystring: EventQuery },
      },
      async ({ query: { after, limit, order, contact_uid: contact, event_uid: eventUid } }, reply) => {
        const options = { table: "events" as const, workspace: DEFAULT_WORKSPACE, contact, eventUid };
        const { rows } = await exportPage(database.query, options, { after, limit, order });
        // Text, not an object: the params are passed on as they were sent.
        reply.type("application/json; charset=utf-8");
        return `{"events":[${rows.map(jsonLine).join(",")}]}`;
      },
    );

    app.get("/demo/contacts", async () => {
      const rows = await database.query<Record<string, string>>(
        `SELECT id, unique_id, data FROM contacts
         WHERE workspace = $1 AND EXISTS (SELECT 1 FROM account_contacts WHERE contact_id = id) ORDER BY id LIMIT $2`,
        [DEFAULT_WORKSPACE, MAX_CONTACTS],
      );
      const ids = rows.map(({ id }) => id);
      const accounts = await accountsOf(database.query, ids);
      const contacts = rows.map((row) => ({
        ...named(row),
        accounts: (accounts.get(row.id) ?? []).map(named).sort(byUid),
      }));
      return contacts.sort(byUid);
    });
  };
