import type { FastifyInstance } from "fastify";
import type { Access } from "./access/access.js";
import { requireAdmin, requireBearer } from "./access/auth.js";
import type { ServiceConfig } from "./config/options.js";
import type { Database, Query } from "./database/database.js";
import type { Settled } from "./database/settled.js";
import { ErrorBody } from "./http/errors.js";
import { describeRoutes } from "./http/openapi.js";
import { refuseOtherMethods } from "./http/unrouted.js";
import { eventRoutes } from "./ingest/event-route.js";
import { createProve } from "./ingest/identity.js";
import type { EventOptions } from "./ingest/judge.js";
import { EventInput, Success } from "./ingest/schemas.js";
import type { EventStore } from "./ingest/store/store.js";
import { numbersRoute } from "./numbers/numbers-route.js";
import { pages } from "./numbers/page.js";
import { leftOutRoutes } from "./numbers/people/left-out-routes.js";
import { peopleRoutes, returningRoute } from "./numbers/people/people-routes.js";
import type { Behind } from "./numbers/sums/behind.js";
import { personRoutes } from "./person/person.js";
import { traitRoutes } from "./person/traits.js";
import { eventListRoute } from "./records/events.js";
import { Account, Contact } from "./records/record-schemas.js";
import { recordRoutes } from "./records/records.js";
import { User, UserList } from "./records/user-schemas.js";
import { userRoutes } from "./records/users.js";
import { healthRoutes } from "./watch/health.js";
import { type Metrics, metricsRoute } from "./watch/metrics.js";

/** What the routes are made of. */
interface Parts extends Pick<EventOptions, "quota" | "countMore" | "tellRefused"> {
  config: ServiceConfig;
  database: Database;
  access: Access;
  store: EventStore;
  metrics: Metrics;
  settled: Settled;
  behind: Behind;
  /** Asks what is about many events. */
  questions: { query: Query };
}

/** Registers all that the service answers, each under the token that it asks for. */
export const registerRoutes = async (
  app: FastifyInstance,
  { config, database, access, store, metrics, settled, behind, questions, ...ofEvents }: Parts,
): Promise<void> => {
  for (const schema of [ErrorBody, EventInput, Success, Account, Contact, User, UserList]) app.addSchema(schema);
  const asked = { ...database, query: questions.query };
  await describeRoutes(app);
  const refuse = refuseOtherMethods(app);
  await app.register(
    eventRoutes(store, {
      ...config,
      ...ofEvents,
      access,
      prove: createProve(config, metrics.proven),
      tellIgnored: metrics.ignored,
      tellObeyed: metrics.obeyed,
    }),
  );
  await app.register(async (records) => {
    records.addHook("preParsing", requireBearer(access.tokens("access")));
    await records.register(recordRoutes(database));
    await records.register(userRoutes(database, config.publicUrl));
    await records.register(eventListRoute(asked, settled, config.publicUrl));
    await records.register(peopleRoutes(asked, settled));
  });
  await app.register(async (numbers) => {
    numbers.addHook("preParsing", requireBearer(access.tokens("access"), access.tokens("numbers")));
    await numbers.register(numbersRoute(asked, settled));
    await numbers.register(returningRoute(asked));
  });
  await app.register(async (admin) => {
    admin.addHook("preParsing", requireAdmin(access));
    await admin.register(personRoutes(database));
    await admin.register(traitRoutes(database));
    await admin.register(leftOutRoutes(database));
  });
  await app.register(pages);
  await app.register(healthRoutes(store, behind));
  if (config.metricsToken !== undefined) await app.register(metricsRoute(metrics, config.metricsToken));
  refuse();
};
