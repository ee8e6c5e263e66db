import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answers } from "../postgres/open-postgres.js";
import { filesOf, isServerOf, readServerFile } from "./data-folder.js";
import type { Programs } from "./programs.js";
import { giveTo, type ServerUser } from "./server-user.js";

/**
 * How the server runs, whatever its configuration file says: what was answered is on the disk, nobody reaches it but by its
 * socket, and it fits a small machine. Each as PostgreSQL names it.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  // On macOS `fsync` leaves the disk's own cache alone.
  ...(process.platform === "darwin" && { wal_sync_method: "fsync_writethrough" }),
  autovacuum: "on",
  restart_after_crash: "on",
  ssl: "off",
  // In the data folder: Docker's /dev/shm has 64 MB.
  dynamic_shared_memory_type: "mmap",
  shared_memory_type: "mmap",
  huge_pages: "off",
  shared_buffers: "64MB",
  work_mem: "8MB",
  // To compile a question takes seconds, and to answer it milliseconds.
  jit: "off",
  maintenance_work_mem: "64MB",
  max_connections: "40",
  // The processors are for events.
  max_parallel_workers_per_gather: "0",
  max_logical_replication_workers: "0",
  io_method: "sync",
  wal_compression: "pglz",
  min_wal_size: "64MB",
  max_wal_size: "512MB",
  // What follows by a slot and has gone for good must not fill the disk.
  max_slot_wal_keep_size: "1GB",
  checkpoint_timeout: "15min",
  timezone: "UTC",
  log_timezone: "UTC",
  // What a statement holds is nobody's business.
  log_min_error_statement: "panic",
  log_min_messages: "fatal",
  log_checkpoints: "off",
};

/** What `initdb` makes: texts are UTF-8, and compared without regard to case by the rules of Unicode, on every system the same. */
export const INITDB = [
  "--username=tracklet",
  "--encoding=UTF8",
  "--no-instructions",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--auth=trust",
];

/** Bytes that the path of a socket may have everywhere (unix(7) and its like elsewhere). */
const MAX_BYTES = 90;
/** Of the socket's name; nothing listens on it. */
const PORT = 5_432;

const urlOf = (socket: string): string =>
  `postgresql:///postgres?user=tracklet&port=${PORT}&host=${encodeURIComponent(socket)}`;

/** Makes the folder of the socket, where the server listens, anew, for its user alone. `leave` removes it. */
export const listenFor = (folder: string, user: ServerUser) => {
  const near = filesOf(folder).socket;
  const isShort = Buffer.byteLength(join(near, `.s.PGSQL.${PORT}.lock`)) <= MAX_BYTES;
  // What a server that was killed has left there is nobody's.
  rmSync(near, { recursive: true, force: true });
  if (isShort) mkdirSync(near, { mode: 0o700 });
  const socket = isShort ? near : mkdtempSync(join(tmpdir(), "tracklet-"));
  chmodSync(socket, 0o700);
  giveTo(socket, user);
  const settings = {
    listen_addresses: "",
    port: String(PORT),
    unix_socket_directories: socket,
    unix_socket_permissions: "0700",
  };
  return { settings, url: urlOf(socket), leave: () => rmSync(socket, { recursive: true, force: true }) };
};

/** The URL of the server that runs in a folder, as far as its files tell. */
export const runningUrl = (folder: string): string | undefined => {
  // As long as it writes its file, it has named none.
  const socket = readServerFile(filesOf(folder).cluster)?.socket;
  return socket ? urlOf(socket) : undefined;
};

/** Milliseconds that a server has to end in order. It is never killed: what it does not end in time, it ends by itself. */
const END_MS = 30_000;
const POLL_MS = 20;
/**
 * Ends a server by `SIGINT` ("fast shutdown") when the service has gone, however that was: this process reads from a pipe that
 * the service holds open.
 */
const END_AFTER_SERVICE = 'read -r line; kill -INT "$1"';

/** What a server says to whoever connects while it starts or ends: no reason why it has ended. */
const OF_CONNECTIONS = /^(the database system is|terminating connection)/;

interface Setup {
  folder: string;
  programs: Programs;
  user: ServerUser;
  listening: ReturnType<typeof listenFor>;
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
    { ...asUser(user), cwd: "/", detached: true, env: ENVIRONMENT, stdio: ["ignore", "ignore", "pipe", lock] },
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
    while (!(await answers(listening.url))) {
      if (isOver) throw new Error(await closed);
      await sleep(POLL_MS);
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
    ...asUser(user),
    cwd: "/",
    detached: true,
    env: ENVIRONMENT,
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
