import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPrograms } from "../../../src/service/database/embedded/programs.js";
import { asUser } from "../../../src/service/database/embedded/server.js";
import { giveTo, serverUser } from "../../../src/service/database/embedded/server-user.js";
import { freePort } from "../../support/ports.js";
import { runAt } from "./database.js";
import { until } from "./service.js";

/** Where Debian and Homebrew put the server's programs, besides the PATH. */
const ROOTS = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].filter((root) => existsSync(root));
const FOLDERS = [
  ...(process.env.PATH ?? "").split(":"),
  ...ROOTS.flatMap((root) => readdirSync(root).map((version) => join(root, version, "bin"))),
];

/** A program of the server that is installed, such as `pg_dump`; `undefined` when there is none. */
export const findProgram = (name: string): string | undefined =>
  FOLDERS.map((path) => join(path, name)).find((file) => existsSync(file));

/** Why no test can have what comes with an installed server alone: other programs, extensions; `undefined` when one can. */
export const missing: string | undefined = ["initdb", "postgres"].every(findProgram)
  ? undefined
  : "no PostgreSQL server is installed (initdb and postgres were looked for)";

/**
 * Starts a PostgreSQL server with an empty database of its own on a free port, as somebody else's that is given to the service.
 *
 * @param isInstalled `true` takes the programs of an installed one. Default: those of the service
 * @param sync `false` does not wait for the disk: what is committed outlives the processes, not the machine, and many
 *   databases are made and left in little time. Default `false`.
 * @param folder where its folder is made. Default: that of temporary files
 * @param options more arguments of the server
 * @param standbyOf the URL of a server whose standby it is
 */
export const startPostgres = async ({
  isInstalled = false,
  sync = false,
  folder = tmpdir(),
  options: more = [],
  standbyOf,
}: {
  isInstalled?: boolean;
  sync?: boolean;
  folder?: string;
  options?: readonly string[];
  standbyOf?: string;
} = {}) => {
  const data = mkdtempSync(join(folder, "tracklet-postgres-"));
  const user = serverUser(data);
  for (const path of folder === tmpdir() ? [data] : [folder, data]) giveTo(path, user);
  const own = isInstalled ? undefined : findPrograms(data, user);
  const programOf = (name: string): string => own?.file(name as "postgres") ?? findProgram(name)!;
  // A home of its own: a server that connects to others looks there for certificates.
  const options = { ...asUser(user), cwd: data, env: { ...process.env, HOME: data }, stdio: "ignore" as const };
  const cluster = join(data, "cluster");
  const [program, ...args] =
    standbyOf === undefined
      ? ["initdb", "-D", cluster, "-U", "test", "-E", "UTF8", "--locale=C", "-A", "trust", "-N"]
      : ["pg_basebackup", "-D", cluster, "-d", standbyOf, "-R", "-c", "fast", "-N"];
  const made = spawn(programOf(program!), args, options);
  if ((await once(made, "close"))[0] !== 0) throw new Error(`${program} failed`);

  const port = await freePort();
  const url = `postgresql://test@127.0.0.1:${port}/postgres`;
  const settings = ["-p", String(port), "-h", "127.0.0.1", "-k", data, ...(sync ? [] : ["-F"]), ...more];
  const run = async () => {
    const server = spawn(programOf("postgres"), ["-D", cluster, ...settings], options);
    const closed = once(server, "close");
    await until(() => {
      if (server.exitCode !== null) throw new Error("postgres ended");
      return runAt(url, "SELECT").catch(() => undefined);
    });
    return { server, closed };
  };
  let running = await run();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    running.server.kill(signal);
    await running.closed;
  };
  const halt = (): Promise<void> => end("SIGINT"); // fast shutdown: ends connections
  return {
    url,
    pid: () => running.server.pid!,
    hasEnded: () => running.server.exitCode !== null || running.server.signalCode !== null,
    halt,
    /** Ends the server as a crash does. */
    crash: () => end("SIGKILL"),
    resume: () =>
      // After a crash it cannot start before the last of the old processes has noticed that it is alone.
      until(async () => {
        const started = await run().catch(() => undefined);
        if (started !== undefined) running = started;
        return started && true;
      }),
    stop: async () => {
      await halt();
      rmSync(data, { recursive: true, force: true });
    },
  };
};

/** Another address of a server on this machine, which can be closed and opened again. */
export const openProxy = async (host: string) => {
  const { hostname, port } = new URL(`x://${host}`);
  const sockets = new Set<Socket>();
  let server: Server;
  const listen = async (at: number): Promise<number> => {
    server = createServer((client) => {
      const through = connect(Number(port), hostname);
      for (const [from, to] of [
        [client, through],
        [through, client],
      ] as const) {
        sockets.add(from);
        from
          .on("error", () => {})
          .on("close", () => {
            sockets.delete(from);
            to.destroy();
          });
        from.pipe(to);
      }
    }).listen(at, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const own = await listen(0);
  return {
    host: `127.0.0.1:${own}`,
    /** Those of clients and those of the server. */
    connections: () => sockets.size,
    /** Ends all connections, and refuses new ones. */
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
    open: () => listen(own),
  };
};

export type TcpProxy = Awaited<ReturnType<typeof openProxy>>;
