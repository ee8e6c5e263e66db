import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { digests } from "../access/access.js";
import { sha256 } from "../access/token-store.js";
import { isUnavailable } from "../database/sql-state.js";
import { HttpError } from "../http/errors.js";
import { REFUSALS } from "../ingest/refusals.js";
import type { EventStore } from "../ingest/store.js";
import type { Behind } from "../numbers/behind.js";
import { createEventAges } from "./ages.js";
import { createHistogram } from "./histogram.js";
import { createTeller } from "./totals.js";

/** Bounds in seconds: from a look-up in memory to the time-out of a query. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the service counts of itself, in the words of Prometheus; each service has a registry of its own. */
export const createMetrics = (workspaces: readonly string[], watched: readonly string[]) => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = createHistogram(registry, {
    name: "tracklet_http_request_seconds",
    help: "Time from a request to its answer, by method, route and status",
    buckets: SECONDS,
  });
  const batches = createHistogram(registry, {
    name: "tracklet_commit_events",
    help: "Events in a transaction",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  }).of("", {});
  const commits = createHistogram(registry, {
    name: "tracklet_commit_seconds",
    help: "Time that a transaction of events takes",
    buckets: SECONDS,
  }).of("", {});
  let waiting = 0;
  new Gauge({
    name: "tracklet_events_waiting",
    help: "Events that were received and are not committed yet",
    registers,
    collect() {
      this.set(waiting);
    },
  });
  const refused = new Counter({
    name: "tracklet_events_refused_total",
    help: "Events that were not stored, by reason, and by workspace where a token said which",
    labelNames: ["reason", "workspace"] as const,
    registers,
  });
  const obeyed = new Counter({
    name: "tracklet_events_obeyed_total",
    help: "Events that were not stored, as their browser asks for it (Sec-GPC, TRACKLET_GPC)",
    registers,
  });
  const ignored = new Counter({
    name: "tracklet_events_with_ignored_members_total",
    help: "Events whose body had members besides contact_uid, event_uid and params, which were left out",
    registers,
  });
  const withoutRecord = new Counter({
    name: "tracklet_events_without_record_total",
    help: "Events stored without a look at the records of contact and account: their address had made too many that day",
    registers,
  });
  const erased = new Counter({
    name: "tracklet_events_of_erased_total",
    help: "Events that were answered with success and left out: their contact was erased after they had occurred",
    labelNames: ["workspace"] as const,
    registers,
  });
  const proofs = new Counter({
    name: "tracklet_identity_proofs_total",
    help: "Proofs of identity that were looked at, by workspace and whether they held",
    labelNames: ["result", "workspace"] as const,
    registers,
  });
  const ages = createEventAges(watched);
  new Gauge({
    name: "tracklet_event_age_seconds",
    help: "Time since an event was stored, by workspace; event_uid is empty, or one of TRACKLET_WATCHED_EVENTS",
    labelNames: ["workspace", "event_uid"] as const,
    registers,
    aggregator: "min",
    collect() {
      this.reset();
      for (const { seconds, ...labels } of ages.list()) this.set(labels, seconds);
    },
  });
  let behind: Behind = async () => [];
  new Gauge({
    name: "tracklet_sums_behind_seconds",
    help: "Time by which the sums are behind the events that are settled, by workspace",
    labelNames: ["workspace"] as const,
    registers,
    // All processes read the same.
    aggregator: "max",
    async collect() {
      // Where the database is away, nothing is known of it.
      const told = await behind().catch(() => []);
      this.reset();
      for (const { seconds, workspace } of told) this.set({ workspace }, seconds);
    },
  });
  // Known from the start, so that the first one is seen as a rise.
  for (const workspace of ["", ...workspaces])
    for (const reason of ["full", "away", "failed", ...REFUSALS]) refused.inc({ reason, workspace }, 0);

  return {
    type: registry.contentType,
    /** Tells all counts as text. */
    tell: createTeller(registry),
    /** To be told who tells how far the sums are behind. */
    watchSums: (tell: Behind): void => {
      behind = tell;
    },
    /** Learns when events came before this process began. */
    loadAges: ages.load,
    /** To be called for each event that is refused before it gets to a store. */
    refused: (reason: string, workspace: string): void => refused.inc({ reason, workspace }),
    /** To be called for each event with members that were left out. */
    ignored: (): void => ignored.inc(),
    /** To be called with the number of events that are not stored, as their browser asks for it. */
    obeyed: (events: number): void => obeyed.inc(events),
    /** To be called for each event that makes no record, as its address has made too many. */
    withoutRecord: (): void => withoutRecord.inc(),
    /** To be called for each event that is left out, as its contact was erased. */
    leftOut: (workspace: string): void => erased.inc({ workspace }),
    /** To be called for each proof of identity that is looked at. */
    proven: (workspace: string, isHeld: boolean): void => proofs.inc({ result: isHeld ? "held" : "failed", workspace }),
    /** To be called for each transaction of events. */
    committed: (events: number, seconds: number): void => {
      batches(events);
      commits(seconds);
    },
    /** Counts what goes into a store. */
    watchStore: (store: EventStore): EventStore => ({
      ...store,
      add: (event) => {
        waiting += 1;
        return store.add(event).then(
          () => {
            waiting -= 1;
            // What is of the past has not come now.
            if (event.originId === undefined) ages.seen(event.workspace, event.eventUid);
          },
          (error: unknown) => {
            waiting -= 1;
            const isFull = (error as { statusCode?: number }).statusCode === 503;
            const reason = isFull ? "full" : isUnavailable(error) ? "away" : "failed";
            refused.inc({ reason, workspace: event.workspace });
            throw error;
          },
        );
      },
    }),
    /** Counts the requests of a service, by the pattern of the route: paths hold ids. */
    watchRequests: (app: FastifyInstance): void => {
      app.addHook("onResponse", (request, reply, done) => {
        const { method } = request;
        const status = reply.statusCode;
        const route = request.routeOptions.url ?? "none";
        requests.of(`${method} ${status} ${route}`, { method, route, status })(reply.elapsedTime / 1_000);
        done();
      });
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * `GET /metrics`: the counts in the text format of Prometheus.
 *
 * @param token what has to come as `Authorization: Bearer`, if anything; one or two
 */
export const metricsRoute =
  ({ type, tell }: Metrics, token: string | undefined): FastifyPluginAsync =>
  async (app) => {
    const tokens = token === undefined ? undefined : new Set(digests(token));
    app.get("/metrics", { config: { unlimited: true }, schema: { hide: true } }, async (request, reply) => {
      const given = request.headers.authorization ?? "";
      if (tokens?.has(sha256(given.replace(/^bearer +/i, ""))) === false)
        throw new HttpError(401, "the metrics token is wrong or missing: send Authorization: Bearer <token>", {
          "www-authenticate": 'Bearer realm="metrics"',
        });
      return reply.type(type).send(await tell());
    });
  };
