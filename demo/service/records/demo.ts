import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Database } from "../database/database.js";
import { DEFAULT_WORKSPACE, decodeText, parseObject, UUID } from "../database/exact-text.js";
import { readIntegers } from "../http/validation.js";
import { exportPage, jsonLine } from "./stored.js";

const EventQuery = Type.Object({
  contact_uid: Type.Optional(Type.String()),
  event_uid: Type.Optional(Type.String()),
  after: Type.Optional(Type.String({ pattern: UUID.source })),
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
  order: Type.Enum(["asc", "desc"], { default: "asc" }),
});

interface DemoContact {
  uid: string;
  name: string;
  accounts: { uid: string; name: string }[];
}

/** Memberships looked at for the list of contacts: the demo has far fewer. */
const MAX_MEMBERSHIPS = 200;

const nameOf = (data: string | undefined): string | undefined => parseObject(data)?.name as string | undefined;
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
        `SELECT contacts.unique_id AS contact_uid, contacts.data AS contact_data,
                accounts.unique_id AS account_uid, accounts.data AS account_data
         FROM account_contacts
         JOIN contacts ON contacts.id = account_contacts.contact_id
         JOIN accounts ON accounts.id = account_contacts.account_id
         WHERE contacts.workspace = $1
         ORDER BY account_contacts.account_id, account_contacts.contact_id LIMIT $2`,
        [DEFAULT_WORKSPACE, MAX_MEMBERSHIPS],
      );
      const contacts = new Map<string, DemoContact>();
      for (const row of rows) {
        const uid = decodeText(row.contact_uid!);
        const contact: DemoContact = contacts.get(uid) ?? {
          uid,
          name: nameOf(row.contact_data) ?? uid,
          accounts: [],
        };
        const accountUid = decodeText(row.account_uid!);
        contact.accounts.push({ uid: accountUid, name: nameOf(row.account_data) ?? accountUid });
        contacts.set(uid, contact);
      }
      for (const { accounts } of contacts.values()) accounts.sort(byUid);
      return [...contacts.values()].sort(byUid);
    });
  };
