import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { nearName } from "../config/near-name.js";
import type { ServiceConfig } from "../config/options.js";
import { DAY_MS } from "../config/time-argument.js";
import { requireApiToken } from "../http/auth.js";
import { errors, HttpError } from "../http/errors.js";
import { createQuota } from "../http/limits.js";
import { networkOf } from "../http/networks.js";
import type { Access } from "../http/tokens.js";
import { readEventBodies } from "./body.js";
import { findMember } from "./json-text.js";
import type { NewEvent } from "./rows.js";
import { EventInput, MAX_PARAMS_DEPTH, Success } from "./schemas.js";
import type { EventStore } from "./store.js";

export const EVENT_PATH = "/v1/track/event";
/** Members of a body that an answer names, and the characters of each. */
const [MAX_NAMED, MAX_NAME] = [10, 64];

type Limits = Pick<ServiceConfig, "maxEventBytes" | "addressQuota" | "tokenQuota">;

/**
 * `POST /v1/track/event`: records an event; answered once it is committed.
 *
 * @param tellIgnored of the second: is called for each body that has members which are left out
 */
export const eventRoute =
  (
    store: EventStore,
    { access, tellIgnored, ...config }: Limits & { access: Access; tellIgnored: () => void },
  ): FastifyPluginAsyncTypebox =>
  async (app) => {
    readEventBodies(app, config.maxEventBytes);
    const spend = createQuota(config);
    app.post(
      EVENT_PATH,
      {
        preParsing: requireApiToken(access.tokens("api"), access.tokens("server")),
        schema: {
          operationId: "sendEvent",
          tags: ["events"],
          summary: "Record an event of a contact",
          description:
            "The answer 200 means that the event is committed. A contact or an account that is not known yet gets a bare record. " +
            "Of several events of a contact with the same `params.event_id` one is stored; each is answered with 200. " +
            "Other members are left out and listed as `ignored`.",
          security: [{ apiToken: [] }, { basic: [] }],
          consumes: ["application/json", "text/plain"],
          body: EventInput,
          response: { 200: Success, ...errors(400, 401, 405, 408, 413, 415, 429, 500, 503) },
        },
      },
      async (request) => {
        const { contact_uid, event_uid, params = {}, ...others } = request.body;
        const names = Object.keys(others);
        const misspelt = names.find((name) => nearName(name, ["params"]));
        if (request.body.params === undefined && misspelt !== undefined)
          throw new HttpError(
            400,
            `params is missing, but there is ${JSON.stringify(misspelt)}: params was probably meant`,
          );
        const sent = findMember(request.bodyText, "params") ?? { text: "{}", depth: 1 };
        if (sent.depth > MAX_PARAMS_DEPTH)
          throw new HttpError(400, `params must not be nested deeper than ${MAX_PARAMS_DEPTH} levels`);
        const address = request.isOfServer ? undefined : request.ip;
        const giveBack = spend({ address, workspace: request.workspace, bytes: request.bodyBytes });
        const { event_id: stamp, account_uid: accountUid, occurred_at: occurredAt } = params as Record<string, unknown>;
        // A body may take its time, and its workspace be deleted meanwhile.
        if (!access.workspaces().includes(request.workspace)) throw new HttpError(401, "the API token is wrong");
        const receivedAt = Date.now();
        const event: NewEvent = {
          workspace: request.workspace,
          contactUid: contact_uid,
          accountUid: typeof accountUid === "string" && accountUid !== "" ? accountUid : undefined,
          eventUid: event_uid,
          params: sent.text,
          stamp: typeof stamp === "string" && stamp !== "" ? stamp : undefined,
          receivedAt,
          occurredAt: plausible(occurredAt, receivedAt),
          ...(address !== undefined && { from: networkOf(address) }),
          onRepeat: giveBack,
        };
        await store.add(event).catch((error: unknown) => {
          giveBack();
          throw error;
        });
        if (names.length === 0) return { status: "success" as const };
        tellIgnored();
        return {
          status: "success" as const,
          ignored: names.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME)),
        };
      },
    );
  };

/** Milliseconds that an event waits in a browser at most (`maxAgeMs`, 30 days), and that a clock may be ahead. */
const [LONGEST_AGE, AHEAD] = [30 * DAY_MS, DAY_MS];

/**
 * The time that a caller gives, in epoch milliseconds, where it is plausible; else what stands in the params is left. All that
 * counts by time goes by this one, so that nobody changes what is older.
 */
const plausible = (time: unknown, receivedAt: number): number | undefined =>
  Number.isSafeInteger(time) && (time as number) >= receivedAt - LONGEST_AGE && (time as number) <= receivedAt + AHEAD
    ? (time as number)
    : undefined;
