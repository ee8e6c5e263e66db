import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { EVENT_PATH } from "../../shared/option-values.js";
import { pointsOf } from "../access/limits.js";
import { isOfServer } from "../access/tokens.js";
import { faultOf, isUnavailable } from "../database/sql-state.js";
import { type Answered, createLogLimit } from "../http/error-answers.js";
import { BATCH_PATH, type Count } from "./schemas.js";

/** Why events are refused, by the status of the answer. What was stored before it is not among them. */
const REASONS: Record<number, string> = {
  400: "body",
  401: "token",
  408: "late",
  413: "large",
  415: "type",
  422: "body",
  429: "rate",
};
/** What an address sent for nothing. */
const WASTED = [400, 413, 415, 422];
/** Why an event was not stored that was right. */
export const reasonOf = (error: unknown): string => {
  if ((error as { statusCode?: number }).statusCode === 503) return "full";
  if (!isUnavailable(error)) return "failed";
  return faultOf(error) === "disk" ? "disk" : "away";
};
export const REFUSALS = [
  ...new Set(Object.values(REASONS)),
  "broken",
  "quota",
  "server_quota",
  "identity",
  "full",
  "away",
  "disk",
  "failed",
];

/** Is told of each request that is answered with an error, and of each event that is refused among others, with its bytes. */
type Tell = (request: FastifyRequest, answer: Answered, bytes?: number) => void;

const MAX_TEXT = 200;

const isOfEvents = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === "POST" && [EVENT_PATH, BATCH_PATH].includes(routeOptions.url ?? "");

/**
 * Sees to it that no event is refused unseen.
 *
 * @param count is called for each
 * @param waste is told of what an address sent for nothing, which counts for it
 * @returns is to be called for each request that is answered with an error, and for each event that is refused among others
 */
export const watchRefusals = (
  app: FastifyInstance,
  count: Count,
  waste: (address: string, points: number) => void,
): Tell => {
  const told = createLogLimit();
  const refused = (reason: string, workspace: string, example: object): void => {
    count("events_refused_total", { reason, workspace });
    const number = told(`${reason} ${workspace}`);
    if (number !== undefined)
      app.log.warn({ reason, workspace, refused: number, example }, `events are refused: ${reason}`);
  };
  // Of a request that comes too slowly Node tells the connection alone; one that was opened for later has sent nothing.
  app.server.on("clientError", ({ code }: NodeJS.ErrnoException, socket) => {
    const { bytesRead, remoteAddress } = socket as Socket;
    if (code === "ERR_HTTP_REQUEST_TIMEOUT" && bytesRead > 0) refused("late", "", { from: remoteAddress });
  });
  return (request, answer, bytes) => {
    const { headers, ip, workspace } = request;
    if (!isOfEvents(request)) return;
    if (workspace !== "" && !isOfServer(request) && WASTED.includes(answer.status))
      waste(ip, pointsOf(bytes ?? request.bodyBytes));
    const ofQuota = isOfServer(request) ? "server_quota" : "quota";
    const reason = answer.reason ?? (answer.status === 429 && workspace !== "" ? ofQuota : REASONS[answer.status]);
    if (reason === undefined) return;
    refused(reason, workspace, {
      // No answer repeats what a body says.
      error: answer.text.slice(0, MAX_TEXT),
      from: ip,
      origin: headers.origin?.slice(0, MAX_TEXT),
      bytes: bytes ?? Number(headers["content-length"]),
    });
  };
};
