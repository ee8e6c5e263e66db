import { SOON } from "../support/bounds.js";
import { runAt } from "../support/cluster.js";
import { makeClock } from "../support/database-clock.js";
import { startPostgres } from "../support/postgres-server.js";
import { startService } from "../support/running-service.js";
import { runTold } from "../support/told-command.js";
import { type Cannot, FAULTS, type House, OWN, openDriver, withQuery } from "./driver.js";

/** One PostgreSQL for many histories, each with a database of its own. Nothing of it is killed. */
export const startShared = async () => {
  const server = await startPostgres({ options: ["-c", "max_connections=300"] });
  const urlOf = (name: string): string => server.url.replace(/postgres$/, name);
  const config = (databaseUrl: string) => ({
    databaseUrl,
    apiToken: OWN.api,
    accessToken: OWN.access,
    adminToken: OWN.admin,
  });
  const house: House = {
    patience: 70_000,
    start: async (databaseUrl) => {
      const service = await startService({
        ...config(databaseUrl),
        serverToken: OWN.server,
        bounds: SOON,
        logLevel: (process.env.MODEL_LOG ?? "fatal") as "fatal",
      });
      return { url: service.url, hasEnded: () => false, stop: service.close };
    },
    command: (databaseUrl, args) =>
      runTold(config(databaseUrl), ...args).catch(({ message }: Error) => ({ out: "", err: message, failed: message })),
    create: async (isEmpty) => {
      const name = `history_${++made}`;
      await runAt(server.url, `CREATE DATABASE ${name} TEMPLATE ${isEmpty ? "template0" : "made"} STRATEGY file_copy`);
      if (!isEmpty) await runAt(server.url, `ALTER DATABASE ${name} SET search_path = skewed, pg_catalog, public`);
      return urlOf(name);
    },
    drop: (url) => runAt(server.url, `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`),
  };
  let made = 0;
  await runAt(server.url, "CREATE DATABASE made");
  await (await house.start(urlOf("made"))).stop("SIGTERM");
  await withQuery(urlOf("made"), makeClock);
  const cannot: Cannot = Object.fromEntries(FAULTS.map((name) => [name, "histories share a process and a PostgreSQL"]));
  return { open: () => openDriver(house), stop: server.stop, cannot };
};
export type Shared = Awaited<ReturnType<typeof startShared>>;
