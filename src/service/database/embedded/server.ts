import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { isUnavailable } from "../sql-state.js";
import { filesOf, isServerOf, readServerFile } from "./folder.js";
import type { Listening } from "./listening.js";
import type { Programs } from "./programs.js";
import type { ServerUser } from "./server-user.js";
import { SETTINGS } from "./settings.js";

/** Milliseconds that a server has to end in order. It is never killed: what it does not end in time, it ends by itself. */
const END_MS = 30_000;
/** Milliseconds from one attempt to connect to a server that starts to the next. */
const LOOK_MS = 20;
/**
 * Ends a server by `SIGINT` ("fast shutdown") when the service has gone, however that was: this process reads from a pipe that
 * the service holds open.
 */
const END_AFTER_SERVICE = 'read -r line; kill -INT "$1"';

/** What a server says to whoever connects while it starts or ends: no reason why it has ended. */
const OF_CONNECTIONS = /^(the database system is|terminating connection)/;

/** All that a server needs. */
export interface Setup {
  folder: string;
  programs: Programs;
  user: ServerUser;
  listening: Listening;
  /** The descriptor of the folder's lock, which the server inherits. */
  lock: number;
}

export interface Server {
  /** Resolves when it takes connections. @throws Error with what it has said where it ends before */
  ready: Promise<void>;
  /** Resolves when none of its processes is left, with the reason that it gave last. */
  closed: Promise<string>;
  /** Ends it in order; resolves when it has ended, or is late. */
  end(): Promise<void>;
}

/** The environment is the server's own: what is set for the service, as another clock or locale, is not meant for it. */
export const ENVIRONMENT = { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };

export const asUser = ({ uid, gid }: ServerUser) => (uid === undefined ? {} : { uid, gid: gid! });

export const startServer = ({ folder, programs, user, listening, lock }: Setup): Server => {
  const { cluster } = filesOf(folder);
  forgetReusedId(cluster);
  const settings = Object.entries({ ...SETTINGS, ...listening.settings });
  // A session of its own: Ctrl-C in a terminal goes to the whole group in front.
  const child = spawn(
    programs.file("postgres"),
    ["-D", cluster, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { ...asUser(user), cwd: cluster, detached: true, env: ENVIRONMENT, stdio: ["ignore", "ignore", "pipe", lock] },
  );
  let said = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const reason = (how: string): string => {
    const reasons = [...said.matchAll(/(?:FATAL|PANIC): +(.*)/g)].map(([, text]) => text!);
    return reasons.filter((text) => !OF_CONNECTIONS.test(text)).at(-1) ?? how;
  };
  let isOver = false;
  // Its error output closes when the last of its processes has ended; where it has none, it never was.
  const closed = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (code, signal) => resolve(signal ?? reason(`code ${code}`)));
  }).then((why) => {
    isOver = true;
    return why;
  });
  if (child.pid !== undefined) endAfterService(child, user);
  const ready = async (): Promise<void> => {
    while (!(await isReady(listening.url))) {
      if (isOver) throw new Error(await closed);
      await sleep(LOOK_MS);
    }
  };
  return {
    ready: ready(),
    closed,
    end: async () => {
      child.kill("SIGINT");
      await Promise.race([closed, sleep(END_MS, undefined, { ref: false })]);
    },
  };
};

const endAfterService = (server: ChildProcess, user: ServerUser): void => {
  const shell = ["-c", END_AFTER_SERVICE, "sh", String(server.pid)];
  const watcher = spawn("/bin/sh", shell, {
    ...{ ...asUser(user), cwd: "/", detached: true, env: ENVIRONMENT },
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.once("error", () => {});
  watcher.stdin!.on("error", () => {});
  server.once("exit", () => watcher.kill());
};

/** The id of a server that was killed may be another process's by now, as in a container: the file would stop the next one. */
const forgetReusedId = (cluster: string): void => {
  const pid = readServerFile(cluster)?.pid;
  if (process.platform === "linux" && pid !== undefined && !isServerOf(cluster, pid))
    rmSync(join(cluster, "postmaster.pid"), { force: true });
};

const isReady = async (url: string): Promise<boolean> => {
  const client = new pg.Client(url).on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};
