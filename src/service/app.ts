import { compile } from "@fastify/proxy-addr";
import Fastify, { type FastifyInstance } from "fastify";
import { createQuota, keepConnections, limitRequests, tellUnseenProxy } from "./access/limits.js";
import { createAccess, decorateWorkspace, requireBearer } from "./access/tokens.js";
import { personRoutes } from "./admin/person-routes.js";
import { traitRoutes } from "./admin/write-records.js";
import { StartError } from "./base/start-error.js";
import { readConfig, type ServiceConfig, tellDatabase } from "./config/options.js";
import type { Database } from "./database/database.js";
import { BOUNDS, type Bounds, continueIds, createSettled } from "./database/event-id.js";
import { rereadGeneration } from "./database/generation.js";
import { openDatabase } from "./database/open-database.js";
import { isUnavailable, tellFault } from "./database/sql-state.js";
import { createTasks } from "./database/tasks.js";
import { countDays } from "./days/count-task.js";
import { createBehind } from "./days/lag.js";
import { tellDeeds } from "./deletion/audit.js";
import { keepFor, retentionBehind } from "./deletion/retention.js";
import { createTombstones } from "./deletion/tombstones.js";
import {
  answerBadHttp,
  answerBadUrl,
  answerErrors,
  answerExpectations,
  ErrorBody,
  refuseOtherMethods,
} from "./http/error-answers.js";
import { allowOrigins } from "./http/headers.js";
import { describeRoutes } from "./http/openapi.js";
import { refuseOtherHosts } from "./http/own-host.js";
import { SCHEMAS } from "./http/validation.js";
import { eventRoutes } from "./ingest/event-route.js";
import { createProve } from "./ingest/identity-proof.js";
import { watchRefusals } from "./ingest/refusals.js";
import { EventInput, Success } from "./ingest/schemas.js";
import { createEventStore } from "./ingest/store/event-store.js";
import { logOptions } from "./monitoring/logging.js";
import { createMetrics, metricsRoute, readUpkeep } from "./monitoring/metrics.js";
import { healthRoutes } from "./monitoring/readiness.js";
import { leftOutRoutes } from "./numbers/left-out-routes.js";
import { numbersRoute, peopleRoutes } from "./numbers/numbers-route.js";
import { pages } from "./numbers/serve-pages.js";
import { Account, Contact, recordRoutes } from "./records/account-and-contact.js";
import { eventListRoute } from "./records/list-events.js";
import { User, UserList, userRoutes } from "./records/users.js";

/** A connection that stalls for longer is not worth its socket. */
const REQUEST_TIMEOUT_MS = 30_000;

export interface ServiceOptions extends Partial<ServiceConfig> {
  /** A database that is open already; closed with the service. One is opened as configured where it is absent. */
  database?: Database;
  /** Milliseconds that a request may take to arrive; 30 s. */
  requestTimeoutMs?: number;
  /** Milliseconds that a connection without a request has once the service closes; 1 s. */
  lingerMs?: number;
  /** How long a transaction may take; tests have less time. */
  bounds?: Bounds;
}

const UNLIMITED = [
  ["rateLimit", "TRACKLET_RATE_LIMIT"],
  ["addressQuota", "TRACKLET_ADDRESS_QUOTA_MB"],
  ["tokenQuota", "TRACKLET_TOKEN_QUOTA_MB"],
  ["addressRecords", "TRACKLET_ADDRESS_RECORDS"],
] as const;

/** Questions about many events that are asked at a time: so a page full of figures makes no event wait. */
const QUESTIONS = 3;

/**
 * Builds the service over its database, which is opened (on the first start made) first. It does not
 * listen yet; closing it closes the database.
 *
 * @param options what differs from the defaults of `ServiceConfig`; the environment is not read
 * @throws StartError when the database cannot be used
 */
export const createService = async (options: ServiceOptions = {}): Promise<FastifyInstance> => {
  const { requestTimeoutMs: requestTimeout = REQUEST_TIMEOUT_MS, lingerMs, bounds = BOUNDS, ...given } = options;
  const config = { ...readConfig({}), ...given };
  // Until there is a log, what happens waits for it.
  const early: string[] = [];
  let tell = (text: string): void => void early.push(text);
  const open = () => openDatabase(config, "service", (text) => tell(text));
  const database = options.database ?? (await open());
  const failed = async (error: Error): Promise<never> => {
    await database.close();
    throw error instanceof StartError
      ? error
      : new StartError(`no event can be stored: ${isUnavailable(error) ? tellFault(error) : error.message}`);
  };
  const access = await createAccess(database.query, config).catch(failed);
  const erased = createTombstones(database.query);
  const learn = async (): Promise<void> => {
    await Promise.all([access.load(), erased.load()]);
  };
  const tasks = createTasks(database);
  const following = { moved: learn, seen: tasks.beginDue };
  const generation = await rereadGeneration(database.query, following, bounds.reread).catch(failed);
  for (const workspace of access.workspaces()) await continueIds(database.query, workspace);
  const metrics = createMetrics({ workspaces: access.workspaces(), watched: config.watchedEvents });
  await metrics.loadAges(database.query, access.workspaces()).catch(failed);
  const { addressRecords } = config;
  const isServed = (workspace: string) => access.workspaces().includes(workspace);
  const state = { generation, erased, isServed, addressRecords, bounds };
  const store = createEventStore(database, { ...metrics, ...state });
  await store.probe().catch(async (error: Error) => {
    await generation.stop();
    return failed(error);
  });

  const app = Fastify({
    ...logOptions(config.logLevel),
    ...SCHEMAS,
    // While closing, what still arrives is served: Fastify's own 503 has another body and no CORS headers.
    return503OnClosing: false,
    // Closing has a bound of its own, and the end of a server of its own may take longer than Fastify would wait.
    pluginTimeout: 0,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    requestTimeout,
    // Node looks for late requests every 30 s unless told otherwise, and of two time-outs takes the longer for the body's.
    http: { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: requestTimeout / 15 },
    frameworkErrors: answerBadUrl,
    clientErrorHandler: answerBadHttp,
  });
  tell = (text) => app.log.warn(text);
  for (const text of early) app.log.info(text);
  if (access.isNew && config.demo === "off")
    app.log.warn(
      `${tellDatabase(config)} is a new and empty database, made now: if there was one before, stop the service, and look at ${config.databaseUrl === undefined ? "TRACKLET_DATA and its disk" : "DATABASE_URL"}`,
    );
  if (access.isEmpty())
    app.log.warn(
      "there is no token, so nobody can send events or read them: make some by `token create`, or set TRACKLET_DEMO=on to try it out on this machine",
    );
  for (const [option, variable] of UNLIMITED)
    if (config[option] === 0 && config.demo === "off")
      app.log.warn(`${variable} is 0, which is no limit: whoever has the token of the pages can fill the disk`);
  app.addHook("onClose", async () => {
    // Not waited for: its look may be behind an order that takes long, and the end of the database ends both.
    void generation.stop();
    await database.close();
  });

  const questions = database.beside(QUESTIONS);
  const isOurs = compile(["loopback", ...config.trustProxy]);
  keepConnections(app, {
    isOurs: (address) => isOurs(address, 0),
    lingerMs,
    begins: tasks.cancel,
    listensNoMore: questions.cancel,
  });
  const { workspaces } = access;
  const kept = config.retentionDays === undefined ? undefined : { days: config.retentionDays, workspaces };
  if (kept !== undefined) tasks.add(keepFor(app.log, kept));
  const settled = createSettled(database.query, bounds);
  tasks.add(tellDeeds(app.log));
  const pace = { every: 5 * bounds.reread, delay: bounds.settled, rows: bounds.step };
  tasks.add(countDays(app.log, { settled, workspaces, ...pace }));
  const behind = createBehind(database, { settled, workspaces });
  metrics.watchState({
    folder: database.folder,
    sums: behind,
    retention: async () => (kept === undefined ? [] : retentionBehind(database.query, kept)),
    upkeep: () => readUpkeep(database.query),
  });
  metrics.watchRequests(app);
  decorateWorkspace(app);
  const quota = createQuota(config);
  const tellRefused = watchRefusals(app, metrics.count, quota.waste);
  answerErrors(app, tellRefused);
  answerExpectations(app);
  const isDemo = config.demo === "on";
  if (isDemo) refuseOtherHosts(app);
  allowOrigins(app, isDemo);
  const countMore = limitRequests(app, config);
  tellUnseenProxy(app, config);

  // All that it answers, each under the token that it asks for.
  for (const schema of [ErrorBody, EventInput, Success, Account, Contact, User, UserList]) app.addSchema(schema);
  const asked = { ...database, query: questions.query };
  await describeRoutes(app);
  const refuse = refuseOtherMethods(app);
  await app.register(
    eventRoutes(store, {
      ...config,
      access,
      quota,
      countMore,
      tellRefused,
      ...metrics,
      prove: createProve(config, metrics.count),
    }),
  );
  await app.register(async (records) => {
    records.addHook("preParsing", requireBearer(access, "access"));
    await records.register(recordRoutes(database));
    await records.register(userRoutes(database, config.publicUrl));
    await records.register(eventListRoute(asked, settled, config.publicUrl));
    await records.register(peopleRoutes(asked, settled));
  });
  await app.register(async (numbers) => {
    numbers.addHook("preParsing", requireBearer(access, "access", "numbers"));
    await numbers.register(numbersRoute(asked, settled));
  });
  await app.register(async (admin) => {
    admin.addHook("preParsing", requireBearer(access, "admin"));
    await admin.register(personRoutes(database));
    await admin.register(traitRoutes(database));
    await admin.register(leftOutRoutes(database));
  });
  await app.register(pages);
  await app.register(healthRoutes(store, behind));
  if (config.metricsToken !== undefined) await app.register(metricsRoute(metrics, config.metricsToken));
  refuse();
  await app.ready();
  return app;
};
