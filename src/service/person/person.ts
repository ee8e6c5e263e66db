import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Database } from "../database/database.js";
import { errors, notFound } from "../http/errors.js";
import { lettersNaming } from "../records/deletion/letters.js";
import { exportPage, exportRows, jsonLine } from "../records/export-page.js";
import { beginDeed, endDeed } from "./audit.js";
import { eraseContact, isKnown } from "./erasure.js";
import { marksIn } from "./tombstones.js";

const Uid = Type.Object({ uid: Type.String({ minLength: 1, description: "Unique id of the contact" }) });
const Erased = Type.Object(
  {
    object: Type.Literal("erasure"),
    events: Type.Integer({ description: "Events that were deleted, or put under another contact" }),
    dead_letters: Type.Integer({ description: "Refused bodies that were deleted" }),
  },
  { description: "It is done: what had occurred before can no longer be stored" },
);
const Anonymisation = Type.Object(
  { params: Type.Optional(Type.Array(Type.String(), { description: "Members of the params that are kept" })) },
  { additionalProperties: false },
);
const common = { tags: ["admin"], security: [{ bearer: [] }], querystring: Uid };
const failures = errors(400, 401, 404, 405, 429, 500, 503);

/** What concerns one person: all that is stored, its erasure, and what is left of it without a name. */
export const personRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { query } = database;
    app.get(
      "/v2/contacts/data",
      {
        schema: {
          ...common,
          operationId: "getDataOfContact",
          summary: "Get all that is stored of one contact",
          description: "With the admin token. The record, every event, and each dead letter in which the uid stands.",
          response: { 200: Type.Unsafe<Readable>(Type.Object({}, { additionalProperties: true })), ...failures },
        },
      },
      async ({ query: { uid }, workspace, tokenName: token }, reply) => {
        if (!(await isKnown(query, workspace, uid))) throw notFound("the contact");
        const [subject] = (await marksIn(query, workspace, [uid])) as [string];
        const line = await beginDeed(query, { workspace, token, what: "read", subject });
        reply.type("application/json; charset=utf-8");
        return Readable.from(dataOf(database, { workspace, uid, line }));
      },
    );
    app.delete(
      "/v2/contacts",
      {
        schema: {
          ...common,
          operationId: "eraseContact",
          summary: "Erase one contact",
          description:
            "With the admin token. Takes some seconds: it is answered once no process can store what had occurred before.",
          response: { 200: Erased, ...failures },
        },
      },
      async ({ query: { uid }, workspace, tokenName: token, log }) => {
        if (!(await isKnown(query, workspace, uid))) throw notFound("the contact");
        const { events, letters } = await eraseContact(database, { workspace, uid, token });
        log.info({ workspace, token, events }, "a contact was erased");
        return { object: "erasure" as const, events, dead_letters: letters };
      },
    );
    app.post(
      "/v2/contacts/anonymise",
      {
        schema: {
          ...common,
          operationId: "anonymiseContact",
          summary: "Keep the events of one contact without a name",
          description:
            "With the admin token. Erases the contact; its events go to another one of chance, with their name, their day and the " +
            "params that the body lists.",
          body: Anonymisation,
          response: { 200: Erased, ...failures },
        },
      },
      async ({ body: { params = [] }, query: { uid }, workspace, tokenName: token, log }) => {
        if (!(await isKnown(query, workspace, uid))) throw notFound("the contact");
        const { events, letters } = await eraseContact(database, { workspace, uid, token, anonymise: params });
        log.info({ workspace, token, events }, "a contact was anonymised");
        return { object: "erasure" as const, events, dead_letters: letters };
      },
    );
  };

/** One JSON object, a page of rows at a time. */
async function* dataOf(
  { query }: Database,
  { workspace, uid, line }: { workspace: string; uid: string; line: string },
) {
  const { rows } = await exportPage(query, { table: "contacts", workspace, contact: uid }, { limit: 1 });
  yield `{"object":"contact.data","contact":${rows.length > 0 ? jsonLine(rows[0]!) : null},"events":[`;
  let events = 0;
  for await (const row of exportRows(query, { table: "events", workspace, contact: uid })) {
    yield `${events > 0 ? "," : ""}${jsonLine(row)}`;
    events += 1;
  }
  yield '],"dead_letters":[';
  let between = "";
  for await (const row of lettersNaming(query, workspace, uid)) {
    yield between + jsonLine(row);
    between = ",";
  }
  yield "]}";
  await endDeed(query, line, events);
}
