import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesOf, readServerFile } from "./folder.js";
import { giveTo, type ServerUser } from "./server-user.js";

/** Bytes that the path of a socket may have everywhere (unix(7) and its like elsewhere). */
const MAX_BYTES = 90;
/** Of the socket's name; nothing listens on it. */
const PORT = 5_432;

/** Where a server listens. */
export interface Listening {
  settings: Record<string, string>;
  url: string;
  /** Removes what was made for it. */
  leave(): void;
}

const urlOf = (socket: string): string =>
  `postgresql:///postgres?user=tracklet&port=${PORT}&host=${encodeURIComponent(socket)}`;
const urlOnWindows = (folder: string, port: string): string =>
  `postgresql://tracklet:${readFileSync(passwordFile(folder), "utf8")}@127.0.0.1:${port}/postgres`;

/** What `initdb` asks for on Windows, where any user of the machine reaches loopback. */
export const passwordFile = (folder: string): string => join(folder, "password");

/** Makes the folder of the socket anew, for the server's user alone; on Windows there is a port of loopback instead. */
export const listenFor = async (folder: string, user: ServerUser): Promise<Listening> => {
  if (process.platform === "win32") {
    const port = await freePort();
    const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: "" };
    return { settings, url: urlOnWindows(folder, port), leave: () => {} };
  }
  const near = filesOf(folder).socket;
  const isShort = Buffer.byteLength(join(near, `.s.PGSQL.${PORT}.lock`)) <= MAX_BYTES;
  // What a server that was killed has left there is nobody's.
  rmSync(near, { recursive: true, force: true });
  if (isShort) mkdirSync(near, { mode: 0o700 });
  const socket = isShort ? near : mkdtempSync(join(tmpdir(), "tracklet-"));
  chmodSync(socket, 0o700);
  giveTo(socket, user);
  const settings = {
    ...{ listen_addresses: "", port: String(PORT) },
    ...{ unix_socket_directories: socket, unix_socket_permissions: "0700" },
  };
  return { settings, url: urlOf(socket), leave: () => rmSync(socket, { recursive: true, force: true }) };
};

/** The URL of the server that runs in a folder, as far as its files tell. */
export const runningUrl = (folder: string): string | undefined => {
  const told = readServerFile(filesOf(folder).cluster);
  if (told === undefined) return undefined;
  if (process.platform === "win32")
    return existsSync(passwordFile(folder)) ? urlOnWindows(folder, told.port) : undefined;
  // As long as it writes its file, it has named none.
  return told.socket === "" ? undefined : urlOf(told.socket);
};

/** Makes the password of a new database on Windows. */
export const makePassword = (folder: string): void =>
  writeFileSync(passwordFile(folder), randomBytes(24).toString("hex"), { mode: 0o600 });

const freePort = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(String(port)));
    });
  });
