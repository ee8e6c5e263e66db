import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnService } from "../support/service-process.js";
import { type Driver, OWN, soon } from "./driver.js";
import type { Shared } from "./in-process.js";
import { requireAll } from "./properties.js";
import { buildEntry, environmentOf } from "./spawned.js";
import { newState, newWorkspace, type State } from "./state.js";
import { KINDS } from "./steps.js";

/*
 * A command, or what the service does, is killed after one of its operations, begun again, and all properties are asked. Operations are
 * numbered by `crash.ts`; that there are no more of them is known by an end that nobody has killed.
 */

interface Run {
  state: State;
  driver: Driver;
  /** Runs a command that may be killed. */
  killed(...args: string[]): Promise<unknown>;
  /** Runs a service that is killed at some time from when `work` begins. */
  serving(work: (ask: Driver["ask"]) => Promise<unknown>): Promise<void>;
}

/** Does one step, by its draw. */
const step = ({ state, driver }: Run, name: string, ...draw: number[]): Promise<void> =>
  KINDS[name]!.run(state, driver, draw);
const steps = async (run: Run, ...all: [string, ...number[]][]): Promise<void> => {
  for (const one of all) await step(run, ...one);
};
/** Erases somebody who is there, by what has an answer. */
const ERASE: [string, ...number[]] = ["erase", 1, 0, 0, 0, 0];

/** What may be killed, in two parts: what is there before, and the command with what it must come to when it is begun again. */
const CASES: Record<string, (run: Run) => Promise<void>> = {
  archive: async (run) => {
    await run.killed("archive", `${run.driver.folder}/archive-0`, "--now");
    await step(run, "archive");
  },
  "archive that takes the erased out": async (run) => {
    await steps(run, ["archive"], ERASE);
    await run.killed("archive", `${run.driver.folder}/archive-0`, "--now");
    await step(run, "archive");
  },
  dump: async (run) => {
    await run.killed("dump", `${run.driver.folder}/${run.state.sent}.dump`);
    await steps(run, ["restore", 0], ["restore", 1, 0, 0]);
  },
  restore: async (run) => {
    await steps(run, ["restore", 0], ERASE);
    const [{ file }] = run.state.dumps as [State["dumps"][number]];
    const list = join(run.driver.folder, "erasures");
    writeFileSync(list, (await run.driver.command("audit", "--erasures")).out);
    writeFileSync(`${list}.key`, (await run.driver.command("audit", "--key")).out);
    run.driver.beforeFill = (url) => commandAt(url, run, "restore", file, "--erasures", list);
    await step(run, "restore", 1, 1, 0);
  },
  "move-to": async (run) => {
    run.driver.beforeFill = (url) => run.killed("move-to", url);
    await step(run, "move");
  },
  erase: async (run) => {
    await run.killed("erase", "person-1-default-q7z");
    await step(run, ...ERASE);
  },
  "an erasure": async (run) => {
    await run.serving((ask) =>
      ask("POST", "/v2/contacts/erase", { token: OWN.admin, body: { uid: "person-1-default-q7z" } }),
    );
    await step(run, ...ERASE);
  },
  anonymise: async (run) => {
    await run.killed("erase", "person-1-default-q7z", "--anonymise", "mark");
    await step(run, ...ERASE);
  },
  "delete-events": async (run) => {
    await run.killed("delete-events", "--older-than", "1", "--yes");
    await step(run, "retention", 0, 0, 0, 0, 0);
  },
  import: async (run) => {
    await step(run, "import", 1, 2, 3, 1, 0);
    const { file } = run.state.imports[0]!;
    await run.killed("import", file);
    await step(run, "import", 1, 2, 3, 0, 0);
  },
  "a step of the sums": async (run) => {
    await run.serving(() => steps(run, ["past", 1, 2, 3, 4, 0], ["past", 7, 6, 5, 4, 0], ["leaveOut", 1, 0, 1, 0, 0]));
  },
  migrate: async (run) => {
    await run.killed("migrate");
    await step(run, "migrate");
  },
};
export const CASE_NAMES = Object.keys(CASES);

let commandAt: (url: string, run: Run, ...args: string[]) => Promise<unknown>;

/** Kills one of the cases after its operation of a number. @returns whether it was killed, or had ended before */
export const killAfter = async (
  shared: Shared,
  name: string,
  point: number,
): Promise<{ wasKilled: boolean; last: string }> => {
  const entry = await buildEntry();
  const driver = await shared.open();
  const points = join(driver.folder, "points");
  let wasKilled = false;
  const environment = (url: string, more = {}) => ({
    ...environmentOf(url, { MODEL_CRASH: String(point), MODEL_POINTS: points, MODEL_BOUNDS: "AT_ONCE", ...more }),
  });
  try {
    const state = newState();
    state.workspaces.set("default", newWorkspace("default", "America/New_York"));
    commandAt = async (url, _run, ...args) => {
      const { signal } = await spawnService(environment(url), [...entry, ...args]).closed;
      wasKilled = signal === "SIGKILL";
    };
    const run: Run = {
      ...{ state, driver },
      killed: (...args) => commandAt(driver.url(), run, ...args),
      serving: async (work) => {
        const service = spawnService(environment(driver.url(), { MODEL_ARMED: "later" }), entry);
        const url = await service.ready();
        service.child.kill("SIGUSR2");
        const { askAt } = await import("./driver.js");
        await work((...asked) => askAt(url, ...asked));
        // Its tasks go on: it is given the time that they take.
        await soon(3_000, async () => {
          if (service.child.signalCode === null) throw new Error("it runs");
        }).catch(() => service.stop("SIGKILL"));
        wasKilled = readFileSync(points, "utf8").split("\n").length > point;
      },
    };
    await steps(
      run,
      ["workspace", 1, 1],
      ["past", 1, 2, 3, 4, 0],
      ["past", 7, 8, 1, 2, 1],
      ["burst", 1, 4, 7, 10, 0],
      ["record", 1, 1, 1, 1, 0],
      ["follow", 0, 3, 0, 0, 0],
    );
    await CASES[name]!(run);
    await requireAll(state, driver, point);
    const all = readFileSync(points, "utf8").trim().split("\n");
    return { wasKilled, last: all.at(-1)! };
  } catch (error) {
    const last = (() => {
      try {
        return readFileSync(points, "utf8").trim().split("\n").at(-1);
      } catch {
        return "nothing";
      }
    })();
    throw new Error(`${name}, killed after operation ${point} (${last}): ${(error as Error).stack}`);
  } finally {
    await driver.close();
    rmSync(points, { force: true });
  }
};
