import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger } from "fastify";
import { type Static, Type } from "typebox";
import { requireApiToken } from "../access/auth.js";
import { pointsOf } from "../access/limits.js";
import { errors, explainError, HttpError } from "../http/errors.js";
import { NDJSON, type Row, readRows } from "./batch-body.js";
import { readEventBodies } from "./body.js";
import { type Judged, type Shared, senderOf } from "./judge.js";
import { createRowJudge } from "./judge-row.js";
import { BATCH_PATH, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, type Verdict, Verdicts } from "./schemas.js";

/** Events of a page's request that are refused; the others of it are not looked at. */
const MAX_WRONG = 10;
const TOO_WRONG = `${MAX_WRONG} events of this request are wrong: send the others again`;

/** An event that may be stored, its place, and what it counts for. */
interface Right extends Judged {
  index: number;
  points: number;
}

/**
 * `POST /v1/track/events`: records several events, each with a verdict of its own. Only this service has it.
 *
 * All are judged before the first is stored; the bytes of those that are right are asked for together.
 */
export const batchRoute =
  ({
    access,
    countMore,
    hold,
    maxEventBytes,
    prove,
    spend,
    tellIgnored,
    tellRefused,
    ...shared
  }: Shared): FastifyPluginAsyncTypebox =>
  async (app) => {
    readEventBodies(app, { maxBytes: MAX_BATCH_BYTES, hold, parse: readRows, types: NDJSON, unpacks: true });
    const judge = createRowJudge({ maxEventBytes, prove });

    /** Stores what is right; a verdict says whether it came before, or has to come again. */
    const add = async ({ event, index, points, ignored }: Right, spent: (points: number) => void) => {
      const verdict: Static<typeof Verdict> = { index, status: "stored" };
      const giveBack = () => spent(points);
      event.onRepeat = () => {
        verdict.status = "repeated";
        giveBack();
      };
      await shared.add(event, giveBack);
      if (ignored.length > 0) tellIgnored();
      return ignored.length > 0 ? { ...verdict, ignored } : verdict;
    };

    app.post(
      BATCH_PATH,
      {
        preParsing: requireApiToken(access.tokens("api"), access.tokens("server"), access.tokens("admin")),
        schema: {
          operationId: "sendEvents",
          tags: ["events"],
          summary: "Record several events (of this service alone)",
          description:
            `At most ${MAX_BATCH_EVENTS} events and ${MAX_BATCH_BYTES} bytes, also where they come compressed by gzip: an array of what ` +
            "`/v1/track/event` takes, or one event a line as `application/x-ndjson`. 200 means that all are stored, 207 that some are not. Each has a verdict: `stored`; `repeated`, it was " +
            "stored before; `refused`, it is wrong, and `why` says how; `again`, it could not be stored now. With the admin token, " +
            "`received_at` of an event (epoch milliseconds) is when it was received.",
          security: [{ apiToken: [] }, { basic: [] }],
          consumes: ["application/json", "text/plain", ...NDJSON],
          // Looked at one by one, so that one that is wrong fails no other.
          body: Type.Array(Type.Unsafe<Row>({ description: "An event, as `/v1/track/event` takes it" })),
          response: { 200: Verdicts, 207: Verdicts, ...errors(400, 401, 405, 408, 413, 415, 429, 500, 503) },
        },
      },
      async (request, reply) => {
        const sender = senderOf(request);
        if (!request.isOfServer) {
          countMore(request.ip, Math.max(0, request.body.length - 1));
          // Whoever has nothing left costs nothing more.
          spend({ ...sender, points: 0 });
        }
        const right: Right[] = [];
        const verdicts: Static<typeof Verdict>[] = [];
        const refused: { row: Row; error: HttpError }[] = [];
        for (const [index, row] of request.body.entries()) {
          if (refused.length === MAX_WRONG && !request.isOfServer) {
            verdicts[index] = { index, status: "again", why: TOO_WRONG };
            continue;
          }
          try {
            right.push({ ...judge(row, request, sender), index, points: pointsOf(Buffer.byteLength(row.text)) });
          } catch (error) {
            if (!(error instanceof HttpError)) throw error;
            verdicts[index] = { index, status: "refused", why: error.message };
            refused.push({ row, error });
          }
        }
        const spent = spend({ ...sender, points: right.reduce((sum, { points }) => sum + points, 0) });
        const results = await Promise.allSettled(right.map((one) => add(one, spent)));
        const failed = results.filter((result) => result.status === "rejected");
        // Nothing is stored: said by the status, as of a single event.
        if (failed.length > 0 && failed.length === results.length) throw failed[0]!.reason;
        for (const [at, result] of results.entries())
          verdicts[right[at]!.index] =
            result.status === "fulfilled" ? result.value : again(right[at]!.index, result.reason, request.log);
        for (const { row, error } of refused)
          tellRefused(
            request,
            { status: error.statusCode, text: error.message, reason: error.reason },
            Buffer.byteLength(row.text),
          );
        shared.offer(reply);
        // Who looks at the status alone sees that something is not stored (RFC 4918 §11.1).
        if (verdicts.some(({ status }) => status === "refused" || status === "again")) reply.code(207);
        return verdicts;
      },
    );
  };

const again = (index: number, cause: Error, log: FastifyBaseLogger): Static<typeof Verdict> => ({
  index,
  status: "again",
  why: explainError(cause, log).text,
});
