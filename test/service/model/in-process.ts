import { SHORT } from "../support/bounds.js";
import { startPostgres } from "../support/postgres.js";
import { startService } from "../support/service.js";
import { runTold } from "../support/told-command.js";
import { type Cannot, databasesOf, FAULTS, type House, OWN, openDriver } from "./driver.js";

/** One PostgreSQL for many histories, each with a database of its own. Nothing of it is killed. */
export const startShared = async () => {
  const server = await startPostgres({ options: ["-c", "max_connections=300"] });
  const config = (databaseUrl: string) => ({
    databaseUrl,
    apiToken: OWN.api,
    accessToken: OWN.access,
    adminToken: OWN.admin,
  });
  const start: House["start"] = async (databaseUrl) => {
    const service = await startService({
      ...config(databaseUrl),
      serverToken: OWN.server,
      // Several beside each other ask more rarely; counts go in many small steps.
      bounds: { ...SHORT, reread: 300, step: 7 },
      logLevel: (process.env.MODEL_LOG ?? "fatal") as "fatal",
    });
    return { url: service.url, hasEnded: () => false, stop: service.close };
  };
  const house: House = {
    // A workspace whose step has failed is left for a while, and on a busy machine the next may fail, too.
    patience: 150_000,
    start,
    command: (databaseUrl, args) =>
      runTold(config(databaseUrl), ...args).catch(({ message }: Error) => ({ out: "", err: message, failed: message })),
    ...(await databasesOf(server.url, start)),
  };
  const shared = [...FAULTS, "release"];
  const cannot: Cannot = Object.fromEntries(shared.map((name) => [name, "histories share a process and a PostgreSQL"]));
  return { open: () => openDriver(house), stop: server.stop, cannot };
};
export type Shared = Awaited<ReturnType<typeof startShared>>;
