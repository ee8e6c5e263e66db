import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { runningUrl } from "../../../src/service/database/embedded/server.js";
import { childrenOf, createTraffic, eventOf, type Outcome, openScene, pause, post } from "./scene.js";

const EVENTS = 50;

/** May a process be traced here? */
const canTrace = (): boolean => spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

/** What a process and those that it starts did, in their order: writes to the log, syncs of it, and answers with 200. */
type Step = "write" | "sync" | "200";
const STEPS: readonly [RegExp, Step][] = [
  [/ (?:pwrite64|pwritev2?|write)\(\d+<[^>]*\/pg_wal\/[0-9A-F]{24}>.*= \d+/, "write"],
  [/ (?:fdatasync|fsync)\(\d+<[^>]*\/pg_wal\/[0-9A-F]{24}>.*= 0/, "sync"],
  [/ (?:write|writev|sendmsg|sendto)\(.*HTTP\/1\.1 200 OK/, "200"],
];

/** How many answers came after a write to the log that had not been synced, or after none at all. */
const judge = (trace: string): { answers: number; early: number } => {
  const seen = { answers: 0, early: 0 };
  let last: Step = "200";
  // A call that another process interrupts stands in two lines: it counts where it ends.
  const begun = new Map<string, string>();
  for (const raw of trace.split("\n").sort((a, b) => timeOf(a) - timeOf(b))) {
    const pid = raw.split(" ", 1)[0]!;
    if (raw.endsWith("<unfinished ...>")) begun.set(pid, raw.slice(0, -16));
    const [, rest] = /<\.\.\. \w+ resumed>(.*)$/.exec(raw) ?? [];
    const line = rest === undefined ? raw : (begun.get(pid) ?? "") + rest;
    const step = STEPS.find(([pattern]) => pattern.test(line))?.[1];
    if (step === "200") {
      seen.answers += 1;
      if (last !== "sync") seen.early += 1;
    }
    if (step !== undefined) last = step;
  }
  return seen;
};
const timeOf = (line: string): number => Number(/^\S+ +(\d+\.\d+)/.exec(line)?.[1] ?? 0);

/**
 * The power is cut after a 200: is the event on the disk? No file system here forgets what was not synced, so it is looked for in
 * the system calls: between the write to PostgreSQL's log and the answer, the log is synced. Where no process may be traced,
 * PostgreSQL itself counts its syncs.
 */
export const powerCut = async (): Promise<Outcome> => {
  const scene = await openScene();
  await scene.start();
  const traffic = createTraffic(scene);
  await traffic.more(1);
  await traffic.stop();
  const send = async (): Promise<void> => {
    for (let number = 0; number < EVENTS; number += 1) {
      const stamp = `power-${number}`;
      if ((await post(scene.url(), eventOf(stamp))) === 200) traffic.acknowledged.add(stamp);
    }
  };
  if (!canTrace()) {
    const before = await countSyncs(scene.folder!);
    await send();
    // It tells its counts once a second.
    await pause(2_000);
    const syncs = (await countSyncs(scene.folder!)) - before;
    return { scene, traffic, note: `${syncs} syncs of the log for ${EVENTS} events`, isWrong: syncs < EVENTS };
  }
  const folder = mkdtempSync(join(tmpdir(), "tracklet-trace-"));
  const server = scene.serverPid();
  const pids = [scene.service().child.pid!, server, ...childrenOf(server)].flatMap((pid) => ["-p", String(pid)]);
  const calls = "trace=write,writev,sendmsg,sendto,pwrite64,pwritev,fsync,fdatasync";
  const strace = spawn("strace", ["-f", "-ttt", "-y", "-s", "64", "-e", calls, "-o", join(folder, "trace"), ...pids], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(strace.stderr!, "data");
  await pause(1_000);
  await send();
  strace.kill("SIGINT");
  await once(strace, "close");
  const trace = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  rmSync(folder, { recursive: true });
  const { answers, early } = judge(trace.join("\n"));
  const note = `${answers} answers traced, ${early} of them before the log was synced`;
  return { scene, traffic, note, isWrong: early > 0 || answers < EVENTS };
};

const countSyncs = async (folder: string): Promise<number> => {
  const client = new pg.Client(runningUrl(folder));
  await client.connect();
  const { rows } = await client.query("SELECT sum(fsyncs)::int AS syncs FROM pg_stat_io WHERE object = 'wal'");
  await client.end();
  return rows[0]!.syncs;
};
