import { createServer } from "node:net";
import { StartError } from "./base/start-error.js";
import { readConfig, type ServiceConfig, tellDatabase } from "./config/options.js";
import { isOfUnit, onUnit, takeConnections, tellUnit } from "./config/process-messages.js";
import { isUnavailable, tellFault } from "./database/sql-state.js";

/** The service as a process: configured by environment variables, ended by SIGINT or SIGTERM. */
const main = async (): Promise<void> => {
  let close: (() => Promise<void>) | undefined;
  let stopping = false;
  const stop = async (): Promise<void> => {
    // Before it listens nothing is lost by ending at once; a second signal means at once, too.
    if (close === undefined || stopping) process.exit(0);
    stopping = true;
    await close();
    process.exit(0);
  };
  // Whoever ends all processes of a unit at once may reach the primary last, which hands connections over until then.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, isOfUnit ? () => {} : stop);
  onUnit("end", stop);

  // The cheap checks first, so that a mistake is told at once: the rest takes a second to load, the database more.
  const config = readConfig(process.env);
  if (!isOfUnit) await tryPort(config);
  if (config.processes > 1 && !isOfUnit) {
    const { startUnit } = await import("./processes.js");
    const unit = startUnit(config, tellDatabase(config));
    close = unit.stop;
    return unit.broken;
  }
  const { createService } = await import("./app.js");
  const service = await createService(config);
  close = () => service.close();
  if (isOfUnit) {
    await service.ready();
    service.log.info("takes connections");
    return takeConnections(service.server);
  }
  service.log.info(`events go into ${tellDatabase(config)}`);
  const listenTextResolver = (address: string) => `service ready at ${address}`;
  await service.listen({ port: config.port, host: config.host, listenTextResolver }).catch(refuse(config));
};

const tryPort = async (config: ServiceConfig): Promise<void> => {
  const server = createServer();
  await new Promise((resolve, reject) =>
    server.once("error", reject).listen(config.port, config.host, () => resolve(0)),
  ).catch(refuse(config));
  await new Promise((resolve) => server.close(resolve));
};

const refuse =
  ({ host, port }: ServiceConfig) =>
  ({ code, message }: NodeJS.ErrnoException): never => {
    throw new StartError(
      code === "EADDRINUSE"
        ? `port ${port} at ${host} is in use: stop what listens there, or set TRACKLET_SERVICE_PORT`
        : `cannot listen at ${host}:${port} (${message}): set TRACKLET_SERVICE_HOST or TRACKLET_SERVICE_PORT`,
    );
  };

/** A command works on the database and ends; without one the service starts. */
const start = async (args: string[]): Promise<void> => {
  if (args.length === 0) return main();
  const { runCommand } = await import("./commands/cli.js");
  await runCommand(args, readConfig(process.env)).catch((error: NodeJS.ErrnoException) => {
    // Who reads the output has seen enough, as `head` does.
    if (error.code === "EPIPE") return;
    throw isUnavailable(error)
      ? new StartError(`the database cannot do this now, ${tellFault(error)} (${error.message})`)
      : error;
  });
};

start(process.argv.slice(2)).catch((error: unknown) => {
  // The primary says it, once for all.
  if (isOfUnit && error instanceof StartError)
    return tellUnit({ kind: "failed", text: error.message }, () => process.exit(1));
  console.error(error instanceof StartError ? `service: ${error.message}` : error);
  process.exit(1);
});
