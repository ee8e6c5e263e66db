import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { filesOf, readServerFile } from "./folder.js";
import type { Server, Setup } from "./server.js";
import { SETTINGS } from "./settings.js";

/** Milliseconds from one look whether the server still runs to the next. */
const LOOK_MS = 1_000;

/**
 * Starts the server by `pg_ctl`, which drops the rights of an administrator, as PostgreSQL refuses to run with them. The lock of
 * the folder is not inherited on Windows: a server whose service was killed is ended first.
 */
export const startServerOnWindows = ({ folder, programs, listening }: Setup): Server => {
  const { cluster } = filesOf(folder);
  const control = (...args: string[]) =>
    spawnSync(programs.file("pg_ctl"), [...args, "-D", cluster], { encoding: "utf8", windowsHide: true });
  const runs = () => control("status").status === 0;
  if (runs()) control("stop", "-m", "fast", "-t", "10");
  const settings = Object.entries({ ...SETTINGS, ...listening.settings });
  const options = settings.map(([name, value]) => `-c ${name}=${value || '""'}`).join(" ");
  const { status, stderr } = control("start", "-w", "-t", "300", "-l", join(folder, "server.log"), "-o", options);
  const isStarted = status === 0 && readServerFile(cluster) !== undefined;
  const closed = async (): Promise<string> => {
    while (isStarted && runs()) await sleep(LOOK_MS);
    return isStarted ? "see server.log" : stderr.trim().split("\n").at(-1)!;
  };
  return {
    ready: isStarted ? Promise.resolve() : Promise.reject(new Error(stderr.trim().split("\n").at(-1))),
    closed: closed(),
    end: async () => void control("stop", "-m", "fast", "-t", "30"),
  };
};
