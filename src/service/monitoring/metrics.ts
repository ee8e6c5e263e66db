import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type PrometheusContentType,
  type Registry,
} from "prom-client";
import { digests, sha256 } from "../access/tokens.js";
import { decodeText, encodeText } from "../base/exact-text.js";
import { isOfUnit, onUnit, tellUnit } from "../config/process-messages.js";
import type { Query } from "../database/database.js";
import { freeBytes } from "../database/embedded/disk-space.js";
import { readState } from "../database/service-state.js";
import type { Behind } from "../days/lag.js";
import { createLogLimit, HttpError, unavailable } from "../http/error-answers.js";
import { REFUSALS } from "../ingest/refusals.js";
import { COUNTED, type Count } from "../ingest/schemas.js";
import type { NewEvent } from "../ingest/store/event-rows.js";
import { archiveRuns } from "../records/known-archives.js";
import { PUT_RIGHT_AT } from "../records/lost-places.js";
import { ofName } from "../records/read-rows.js";

/** What tells the metrics: of this process, or, where it is one of a unit, of all of them, each with its number. */
const createTeller = (registry: Registry): (() => Promise<string>) => {
  if (!isOfUnit) return () => registry.metrics();
  AggregatorRegistry.setRegistries(registry);
  registry.setDefaultLabels({ process: String(process.pid) });
  const asked = new Map<number, (text: string | undefined) => void>();
  let last = 0;
  onUnit("metrics", ({ ask, text }) => {
    asked.get(ask)?.(text);
    asked.delete(ask);
  });
  return async () => {
    last += 1;
    const told = new Promise<string | undefined>((resolve) => asked.set(last, resolve));
    tellUnit({ kind: "ask metrics", ask: last });
    const text = await told;
    if (text === undefined) throw unavailable();
    return text;
  };
};

/** What is as it is when somebody asks, besides what is counted. */
interface Gauged {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Gives values by their labels; no value where it is not known. */
  read(): readonly Value[] | Promise<readonly Value[]>;
}
type Value = [labels: Record<string, string>, value: number | undefined];

const addGauges = (registry: Registry, gauges: readonly Gauged[]): void => {
  for (const { name, help, labels = [], read } of gauges)
    new Gauge({
      name: `tracklet_${name}`,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        // Where the database is away, nothing is known of it.
        const told = await (async () => read())().catch(() => []);
        this.reset();
        // Without a label it would be 0.
        if (labels.length === 0) this.remove();
        for (const [of, value] of told) if (value !== undefined) this.set(of, value);
      },
    });
};

type Seconds = { workspace: string; seconds: number }[];

interface State {
  /** The data folder of a PostgreSQL of its own, whose disk is looked at. */
  folder: string | undefined;
  sums: Behind;
  retention(): Promise<Seconds>;
  upkeep(): Promise<Upkeep>;
}

const addState = (registry: Registry, { folder, sums, retention, upkeep }: State): void => {
  let asked: Promise<Upkeep> | undefined;
  /** All of them are asked for at once. */
  const kept = (read: (upkeep: Upkeep) => Value[]) => () => {
    asked ??= upkeep().finally(() => {
      asked = undefined;
    });
    return asked.then(read);
  };
  const ofWorkspaces = (told: Seconds) => told.map(({ workspace, seconds }): Value => [{ workspace }, seconds]);
  const byWorkspace = { labels: ["workspace"] };
  addGauges(registry, [
    {
      name: "disk_free_bytes",
      help: "Bytes that are free on the disk of the data folder; of a given PostgreSQL it is not known",
      labels: ["folder"],
      read: () => (folder === undefined ? [] : [[{ folder }, freeBytes(folder)]]),
    },
    {
      ...byWorkspace,
      name: "sums_behind_seconds",
      help: "Time by which the figures are behind the events that are settled, by workspace",
      read: async () => ofWorkspaces(await sums()),
    },
    {
      ...byWorkspace,
      name: "stale_days",
      help: "Days whose figures wait to be counted anew, by workspace",
      read: async () => (await sums()).map(({ workspace, days }): Value => [{ workspace }, days]),
    },
    {
      ...byWorkspace,
      name: "retention_behind_seconds",
      help: "Time by which the oldest event is older than TRACKLET_RETENTION_DAYS, by workspace",
      read: async () => ofWorkspaces(await retention()),
    },
    {
      ...byWorkspace,
      name: "archive_age_seconds",
      help: "Time since the last run of an archive ended, by workspace",
      read: kept(({ archives }) => ofWorkspaces(archives)),
    },
    ...Object.entries(UPKEEP).map(
      ([name, help]): Gauged => ({ name, help, read: kept(({ told }) => [[{}, told[name as keyof typeof UPKEEP]]]) }),
    ),
  ]);
};

/** Bounds in seconds: from a look-up in memory to the time-out of a query. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Measured {
  workspaces: readonly string[];
  watched: readonly string[];
}

/** What the service counts of itself, in the words of Prometheus; each service has a registry of its own. */
export const createMetrics = ({ workspaces, watched }: Measured) => {
  const registry = new AggregatorRegistry<PrometheusContentType>();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name: `tracklet_${name}`, help, buckets, labelNames, registers });
  const requests = histogram(
    "http_request_seconds",
    "Time from a request to its answer, by method, route and status",
    SECONDS,
    ...(["method", "route", "status"] as const),
  );
  const batches = histogram("commit_events", "Events in a transaction", [1, 2, 5, 10, 20, 50, 100, 200, 500]);
  const commits = histogram("commit_seconds", "Time that a transaction of events takes", SECONDS);
  const counters = Object.fromEntries(
    Object.entries(COUNTED).map(([name, [help, ...labelNames]]) => [
      name,
      new Counter<string>({ name: `tracklet_${name}`, help, labelNames, registers }),
    ]),
  );
  const count: Count = (name, labels = {}, amount = 1) => counters[name]!.inc(labels, amount);
  const ages = createEventAges(watched, () => count("new_event_names_total"));
  const help = "Events that were received and are not committed yet";
  const waiting = new Gauge({ name: "tracklet_events_waiting", help, registers });
  addGauges(registry, [
    {
      name: "event_age_seconds",
      help: "Time since an event was stored, by workspace; event_uid is empty, or one of TRACKLET_WATCHED_EVENTS",
      labels: ["workspace", "event_uid"],
      read: () => ages.list().map(({ seconds, ...labels }) => [labels, seconds]),
    },
  ]);
  // Known from the start, so that the first one is seen as a rise.
  for (const workspace of ["", ...workspaces])
    for (const reason of REFUSALS) count("events_refused_total", { reason, workspace }, 0);

  return {
    type: registry.contentType,
    tell: createTeller(registry),
    watchState: (state: State): void => addState(registry, state),
    loadAges: ages.load,
    count,
    /** To be called for each transaction of events. */
    committed: (events: readonly NewEvent[], seconds: number): void => {
      batches.observe(events.length);
      commits.observe(seconds);
      // What is of the past has not come now.
      for (const { originId, workspace, eventUid } of events)
        if (originId === undefined) ages.seen(workspace, eventUid);
    },
    /** To be told how many more events wait for that, or fewer. */
    waits: (more: number): void => waiting.inc(more),
    /** Counts the requests of a service, by the pattern of the route: paths hold ids. */
    watchRequests: (app: FastifyInstance): void => {
      const told = createLogLimit();
      app.addHook("onResponse", (request, reply, done) => {
        const { method } = request;
        const status = reply.statusCode;
        const route = request.routeOptions.url ?? "none";
        requests.observe({ method, route, status }, reply.elapsedTime / 1_000);
        if (status !== 401) return done();
        const [, realm] = /^Bearer realm="(\w+)"/.exec(String(reply.getHeader("www-authenticate") ?? "")) ?? [];
        if (realm !== undefined && request.headers.authorization !== undefined) {
          count("wrong_tokens_total", { realm });
          const wrong = told(realm);
          if (wrong !== undefined)
            app.log.warn({ realm, wrong, from: request.ip }, `a wrong token was sent for ${realm}`);
        }
        done();
      });
    },
  };
};

type Metrics = ReturnType<typeof createMetrics>;

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

/** Newest events of a workspace, and of each name that is watched, that are looked at when the service begins. */
const NEWEST = 1_000;

/** Names that are remembered, and characters of each. Beyond, one that is not among them is new each time: so a flood of names is seen to its end. */
const [NAMES, NAME_LENGTH] = [10_000, 64];

/** How long ago the last event came; `event_uid` is empty for all names together. */
interface Age {
  workspace: string;
  event_uid: string;
  seconds: number;
}

/**
 * When events came last, by workspace and by name, as this process has seen it.
 *
 * @param watched the names that are told each by itself: the operator lists them, for who has the public token may send any name
 * @param newName is called for each name that comes for the first time, as far as is remembered
 */
export const createEventAges = (watched: readonly string[], newName: () => void = () => {}) => {
  const workspaces = new Map<string, Map<string, number>>();
  const names = new Set<string>();

  const seen = (workspace: string, name: string, before?: number): void => {
    const known = `${workspace}/${name.slice(0, NAME_LENGTH)}`;
    if (!names.has(known) && before === undefined) newName();
    if (names.size < NAMES) names.add(known);
    const at = before ?? Date.now();
    const last = workspaces.get(workspace) ?? new Map<string, number>();
    workspaces.set(workspace, last);
    for (const key of watched.includes(name) ? ["", name] : [""]) last.set(key, Math.max(last.get(key) ?? at, at));
  };
  return {
    seen,
    /** Learns from the database what came before this process began; what was imported has come elsewhere. */
    load: async (query: Query, names: readonly string[]): Promise<void> => {
      const newest = (which: string, ...values: string[]) =>
        query<{ event_uid: string; received_at: number }>(
          `SELECT event_uid, received_at FROM (
             SELECT event_uid, received_at, origin_id FROM events WHERE workspace = $1 ${which} ORDER BY id DESC LIMIT ${NEWEST}
           ) AS newest WHERE origin_id IS NULL`,
          values,
        );
      for (const workspace of names) {
        const rows = [await newest("", workspace)];
        // Page views have no index by name, and are seldom rare.
        for (const name of watched.filter((one) => one !== "pageview"))
          rows.push(await newest(`AND ${ofName("$2")}`, workspace, encodeText(name)));
        for (const { event_uid, received_at } of rows.flat()) seen(workspace, decodeText(event_uid), received_at);
      }
    },
    list: (now = Date.now()): Age[] =>
      [...workspaces].flatMap(([workspace, last]) =>
        [...last].map(([event_uid, at]) => ({ workspace, event_uid, seconds: Math.max(0, now - at) / 1_000 })),
      ),
  };
};

/** What nobody misses before it is needed, as `/metrics` names it and says what it is. */
const UPKEEP = {
  database_age_seconds: "Time since the database was made; what is restored or moved has the age that it had",
  backup_age_seconds:
    "Time since the last backup ended, or the first one was asked for; absent where none was ever asked for",
  backup_dropped_dumps: "Dumps that the last backup deleted before their time: dumps take half of what is free at most",
  backup_anew_age_seconds:
    "Time since a backup found no dump of those before in its folder, as where its disk is not mounted; absent where none did",
  clock_put_right_age_seconds:
    "Time since a clock of the database was found to have been ahead and put right; absent where none was",
};
type Upkeep = Awaited<ReturnType<typeof readUpkeep>>;

/** Reads that, by the clock of the database; the trials of dumps in seconds ago, the last that went well and the last that failed; and the archives. */
export const readUpkeep = async (query: Query) => {
  const state = await readState(query);
  const age = (at: number | undefined) => (at === undefined ? undefined : Math.max(0, state.now - at) / 1_000);
  // That of the first start is never deleted.
  const [row] = await query<{ made: number | null }>("SELECT min(created_at) AS made FROM workspaces");
  const told: Record<keyof typeof UPKEEP, number | undefined> = {
    database_age_seconds: age(row!.made ?? state.now),
    backup_age_seconds: age(state.backup_done ?? state.backup_asked),
    backup_dropped_dumps: state.backup_dropped,
    backup_anew_age_seconds: age(state.backup_anew),
    clock_put_right_age_seconds: age(state[PUT_RIGHT_AT]),
  };
  const archives = [...archiveRuns(state)].map(([workspace, at]) => ({ workspace, seconds: age(at)! }));
  return { told, drill: age(state.drill_done), failedDrill: age(state.drill_failed), archives };
};
