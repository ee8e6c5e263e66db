import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { UUID } from "../base/exact-text.js";
import type { Database } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { beginDeeds, endDeeds, noteDeed } from "../deletion/audit.js";
import { deleteAccount } from "../deletion/delete-chosen.js";
import { eraseContacts, knownOf } from "../deletion/erasure.js";
import { keyIn, markOf, markOfUid } from "../deletion/tombstones.js";
import { errors, notFound } from "../http/error-answers.js";
import { READ } from "../records/account-and-contact.js";
import { exportPage, exportRows, jsonLine } from "../records/read-rows.js";

const uid = Type.String({ minLength: 1, description: "Unique id of the contact" });
const Erased = Type.Object(
  {
    object: Type.Literal("erasure"),
    events: Type.Integer({ description: "Events that were deleted, or put under another contact" }),
    archives: Type.Optional(
      Type.Array(Type.String(), {
        description: "Where archives are: it is done in the database, and in their files by the next run of `archive`",
      }),
    ),
  },
  { description: "It is done: what had occurred before can no longer be stored" },
);
const strict = { additionalProperties: false };
const common = { tags: ["admin"], security: [{ bearer: [] }] };
const params = Type.Array(Type.String(), { description: "Members of the params that are kept" });
const failures = errors(400, 401, 404, 405, 429, 500, 503);

/** What concerns one person: all that is stored, its erasure, and what is left of it without a name. And the end of an account, which is no person. */
export const personRoutes =
  (database: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { query } = database;
    const requireKnown = async (workspace: string, uid: string) => {
      if ((await knownOf(query, workspace, [uid])).length === 0) throw notFound("the contact");
    };
    const erase = async (
      { workspace, tokenName: token, log }: FastifyRequest,
      { uid, anonymise }: { uid: string; anonymise?: readonly string[] },
    ) => {
      await requireKnown(workspace, uid);
      const tell = (text: string) => log.warn({ workspace, token }, text);
      const { events, archives } = await eraseContacts(database, { workspace, uids: [uid], token, anonymise, tell });
      log.info({ workspace, token, events }, `a contact was ${anonymise === undefined ? "erased" : "anonymised"}`);
      return { object: "erasure" as const, events, ...(archives.length > 0 && { archives }) };
    };
    app.get(
      "/v2/contacts/data",
      {
        schema: {
          ...common,
          operationId: "getDataOfContact",
          summary: "Get all that is stored of one contact",
          description: "With the admin token. The record, and every event.",
          querystring: Type.Object({ uid }),
          response: { 200: Type.Unsafe<Readable>(Type.Object({}, { additionalProperties: true })), ...failures },
        },
      },
      async ({ query: { uid }, workspace, tokenName: token }, reply) => {
        await requireKnown(workspace, uid);
        const [id] = newIds(1);
        const subject = markOfUid(await keyIn(query), workspace, uid);
        await beginDeeds(query, [{ id: id!, workspace, at: Date.now(), token, what: "read", subject }]);
        reply.type("application/json; charset=utf-8");
        return Readable.from(dataOf(database, { workspace, uid, id: id! }));
      },
    );
    const erasure = {
      ...common,
      summary: "Erase one contact",
      description: "With the admin token. It is answered once nothing can be stored any more that had occurred before.",
      response: { 200: Erased, ...failures },
    };
    app.delete(
      "/v2/contacts",
      { schema: { ...erasure, operationId: "eraseContact", querystring: Type.Object({ uid }) } },
      (request) => erase(request, request.query),
    );
    app.post(
      "/v2/contacts/erase",
      {
        schema: {
          ...erasure,
          operationId: "eraseContactOfBody",
          description: `${erasure.description} The uid stands in the body, and so in no log of a web server.`,
          body: Type.Object({ uid }, strict),
        },
      },
      (request) => erase(request, request.body),
    );
    app.post(
      "/v2/contacts/anonymise",
      {
        schema: {
          ...erasure,
          operationId: "anonymiseContact",
          summary: "Keep the events of one contact without a name",
          description:
            "With the admin token. Erases the contact; its events go to another one of chance, with their name, their day and the " +
            "params that the body lists.",
          body: Type.Object({ uid, params: Type.Optional(params) }, strict),
        },
      },
      (request) => erase(request, { uid: request.body.uid, anonymise: request.body.params ?? [] }),
    );
    app.delete(
      "/v2/accounts/:id",
      {
        schema: {
          ...common,
          operationId: "deleteAccount",
          summary: "Delete the record of one account",
          description: "With the admin token. With its memberships; its events stay, and the next one makes it anew.",
          params: Type.Object({ id: Type.String({ pattern: UUID.source, description: "Internal id" }) }),
          response: {
            200: Type.Object({ object: Type.Literal("account"), id: Type.String(), deleted: Type.Literal(true) }),
            ...failures,
          },
        },
      },
      async ({ params: { id }, workspace, tokenName: token }) => {
        const { unique_id: uid } = await READ.account(query, workspace, id);
        const subject = markOf(await keyIn(query), `account/${workspace}/${uid}`);
        await noteDeed(query, { workspace, token, what: "deleted the account", subject });
        await deleteAccount(database, workspace, uid);
        return { object: "account" as const, id, deleted: true as const };
      },
    );
  };

async function* dataOf({ query }: Database, { workspace, uid, id }: { workspace: string; uid: string; id: string }) {
  const { rows } = await exportPage(query, { table: "contacts", workspace, contact: uid }, { limit: 1 });
  yield `{"object":"contact.data","contact":${rows.length > 0 ? jsonLine(rows[0]!) : null},"events":[`;
  let events = 0;
  for await (const row of exportRows(query, { table: "events", workspace, contact: uid })) {
    yield `${events > 0 ? "," : ""}${jsonLine(row)}`;
    events += 1;
  }
  yield "]}";
  await endDeeds(query, [id], [events]);
}
