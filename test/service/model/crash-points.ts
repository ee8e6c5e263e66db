import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SOON } from "../support/bounds.js";
import { spawnService } from "../support/service-process.js";
import { askAt, type Driver, OWN, type Said, soon } from "./driver.js";
import type { Shared } from "./in-process.js";
import { requireAll, requireSome } from "./properties.js";
import { buildEntry, environmentOf } from "./spawned.js";
import { doubt, newState, newWorkspace, type State } from "./state.js";
import { KINDS, listErasures } from "./steps.js";

/*
 * A command, or what the service does, is killed after one of its operations and begun again; then all properties are asked. Operations are
 * numbered by `crash.ts`.
 */

interface Run {
  state: State;
  driver: Driver;
  /** Does steps, each by its name and its draw. */
  steps(...all: [string, ...number[]][]): Promise<void>;
  /** Runs a command that may be killed. @param url of the database, where it is another one */
  killed(args: string[], url?: string): Promise<void>;
  /** Runs a service that may be killed from when `work` begins. */
  serving(work: (ask: Driver["ask"]) => Promise<unknown>): Promise<void>;
}

/** Who is erased is there. */
const UID = "person-1-default-q7z";
const ERASE: [string, ...number[]] = ["erase", 5, 0, 0, 0, 0];

/** Where all was done before the end, it is refused to do it again; the properties say whether it was all. */
const isWhole =
  (run: (...args: never[]) => Promise<Said>) =>
  async (...args: string[]): Promise<Said> => {
    const said = await run(...(args as never[]));
    return /must be empty|moved/.test(said.failed ?? "") ? { out: said.out, err: said.err } : said;
  };

/** What may be killed, and what is done again after it. */
const CASES: Record<string, (run: Run) => Promise<void>> = {
  archive: async ({ killed, steps, driver }) => {
    await killed(["archive", `${driver.folder}/archive-0`, "--now"]);
    await steps(["archive"]);
  },
  "archive that takes the erased out": async ({ killed, steps, driver }) => {
    await steps(["archive"], ERASE);
    await killed(["archive", `${driver.folder}/archive-0`, "--now"]);
    await steps(["archive"]);
  },
  dump: async ({ killed, steps, driver, state }) => {
    await killed(["dump", `${driver.folder}/${state.sent}.dump`]);
    await steps(["dump"], ["restore", 0, 0, 0]);
  },
  restore: async ({ killed, steps, driver, state }) => {
    await steps(["dump"], ERASE);
    const list = await listErasures(driver);
    driver.beforeFill = (url) => killed(["restore", state.dumps[0]!.file, "--erasures", list], url);
    driver.commandAt = isWhole(driver.commandAt);
    await steps(["restore", 0, 1, 0]);
  },
  "move-to": async ({ killed, steps, driver }) => {
    driver.beforeFill = (url) => killed(["move-to", url]);
    driver.command = isWhole(driver.command);
    await steps(["move"]);
  },
  erase: async ({ killed, steps }) => {
    await killed(["erase", UID]);
    await steps(ERASE);
  },
  "an erasure": async ({ serving, steps }) => {
    await serving((ask) => ask("POST", "/v2/contacts/erase", { token: OWN.admin, body: { uid: UID } }));
    await steps(ERASE);
  },
  anonymise: async ({ killed, steps, state }) => {
    await killed(["erase", UID, "--anonymise", "mark"]);
    doubt(state, state.workspaces.get("default")!, UID, { from: 0, to: Date.now() }, true);
    await steps(["anonymise", 5, 0, 0, 0, 0]);
  },
  // What a dump has of an erasure that has not ended goes with a list that has it.
  "an erasure that a dump has begun": async ({ killed, steps, state, driver }) => {
    await killed(["erase", UID]);
    doubt(state, state.workspaces.get("default")!, UID, { from: 0, to: Date.now() });
    await requireSome(state, driver, 0);
    await steps(["dump"], ["restore", 0, 1, 0]);
  },
  "delete-events": async ({ killed, steps }) => {
    await killed(["delete-events", "--older-than", "1", "--yes"]);
    await steps(["retention", 0]);
  },
  import: async ({ killed, steps, state }) => {
    await steps(["import", 1, 2, 3, 1, 0], ["deleteNamed", 0]);
    await killed(["import", state.imports[0]!.file]);
    await steps(["import", 1, 2, 3, 0, 0]);
  },
  "a step of the sums": async ({ serving, steps }) => {
    await serving(() => steps(["past", 1, 2, 3, 4, 0], ["past", 7, 6, 5, 4, 0], ["leaveOut", 1, 0, 1, 0, 0]));
  },
  migrate: async ({ killed, steps }) => {
    await killed(["migrate"]);
    await steps(["migrate"]);
  },
};
export const CASE_NAMES = Object.keys(CASES);

/** Kills one of the cases after its operation of a number. @returns after which operation, if there are so many */
export const killAfter = async (shared: Shared, name: string, point: number): Promise<string | undefined> => {
  const entry = await buildEntry();
  const driver = await shared.open();
  const state = newState();
  state.workspaces.set("default", newWorkspace("default", "America/New_York"));
  const points = join(driver.folder, "points");
  const passed = () => (existsSync(points) ? readFileSync(points, "utf8").trim().split("\n") : []);
  const environment = (url: string, more = {}) =>
    environmentOf(url, { MODEL_CRASH: String(point), MODEL_POINTS: points, MODEL_BOUNDS: "SOON", ...more });
  const run: Run = {
    ...{ state, driver },
    steps: async (...all) => {
      for (const [step, ...draw] of all)
        await KINDS[step]!({ state, driver, workspace: state.workspaces.get("default")!, draw });
    },
    killed: async (args, url = driver.url()) => void (await spawnService(environment(url), [...entry, ...args]).closed),
    serving: async (work) => {
      const service = spawnService(environment(driver.url(), { MODEL_ARMED: "later" }), entry);
      const url = await service.ready();
      service.child.kill("SIGUSR2");
      await work((...asked) => askAt(url, ...asked));
      // Its tasks go on until it is killed by a later operation, or the time that they take is over.
      const isOver = async () => {
        if (service.child.signalCode === null) throw new Error("it runs");
      };
      await soon(SOON.settled + 3_000, isOver).catch(() => service.stop("SIGKILL"));
    },
  };
  try {
    await run.steps(
      ["past", 1, 2, 3, 4, 0],
      ["past", 7, 8, 1, 2, 1],
      ["burst", 1, 4, 7, 10, 0],
      ["record", 1, 1, 1, 1, 0],
      ["follow", 0, 3, 0],
    );
    await CASES[name]!(run);
    await requireAll(state, driver, point);
    return passed()[point - 1];
  } catch (error) {
    throw new Error(`${name}, killed after operation ${point} (${passed().at(-1)}): ${(error as Error).stack}`);
  } finally {
    await driver.close();
  }
};
