import { existsSync, readFileSync } from "node:fs";
import { SHORT } from "../support/bounds.js";
import { soon } from "./driver.js";
import type { Place } from "./history.js";
import { requireAll, requireKnown } from "./properties.js";
import { newState, newWorkspace } from "./state.js";
import { KINDS } from "./steps.js";

/*
 * What a command, or the service, does in a step is killed after one of its operations, which `crash.ts` numbers; then all properties are
 * asked. A case is a text of steps, of which it is the one with `!`; what it has not done is done by the next one.
 */
const CASES: Record<string, string> = {
  archive: "!archive() archive()",
  "archive that takes the erased out": "archive() erase(5) !archive() archive()",
  dump: "!dump() dump() restore(0,0,0)",
  restore: "dump() erase(5) !restore(0,1,0) restore(0,1,0)",
  "move-to": "!move() move()",
  erase: "!eraseMany(5,1,2) eraseMany(5,1,2)",
  "an erasure": "!erase(5) erase(5)",
  anonymise: "!anonymise(5) anonymise(5)",
  // What a dump has of an erasure that has not ended goes by a list that has it.
  "an erasure that a dump has begun": "!erase(5) dump() restore(0,1,0)",
  "delete-events": "!retention(0) retention(0)",
  import: "import(1,2,3,1,0) deleteNamed(0) !import(1,2,3,0,0) import(1,2,3,0,0)",
  "a step of the sums": "past(1,2,3,4,0) !past(7,6,5,4,0) leaveOut(1,0,1,0,0)",
  migrate: "!release() release()",
};
export const CASE_NAMES = Object.keys(CASES);

/** What there is before. */
const FIRST = "past(1,2,3,4,0) past(7,8,1,2,1) burst(1,4,7,10,0) record(1,1,1,1,0) follow(0,3,0)";
/** What is asked of a service, whose tasks go on after it. */
const OF_SERVICE = ["erase", "anonymise", "past"];

/** Kills one of the cases after its operation of a number. @returns after which operation, if there are so many */
export const killAfter = async ({ open }: Place, name: string, point: number): Promise<string | undefined> => {
  const driver = await open();
  const state = newState();
  state.workspaces.set("default", newWorkspace("default", "UTC"));
  const passed = () => (existsSync(driver.points) ? readFileSync(driver.points, "utf8").trim().split("\n") : []);
  const isOver = async (): Promise<void> => {
    if (!driver.services()[0]!.hasEnded()) throw new Error("it runs");
  };
  try {
    for (const text of `${FIRST} ${CASES[name]}`.split(" ")) {
      const [, isKilled, kind, numbers] = /^(!?)(\w+)\((.*)\)$/.exec(text)!;
      const draw = [...numbers!.split(",").map(Number), 0, 0, 0, 0].slice(0, 5);
      const isOfService = OF_SERVICE.includes(kind!);
      if (isKilled) await driver.fault!(isOfService ? "crash" : "breakOff", point);
      const doing = KINDS[kind!]!({ state, driver, workspace: state.workspaces.get("default")!, draw });
      await (isKilled ? doing.catch(() => {}) : doing);
      if (isKilled && isOfService) await soon(SHORT.settled + 3_000, isOver).catch(() => {});
      if (isKilled) await driver.heal();
      await requireKnown(state, driver);
    }
    await requireAll(state, driver, point);
    return passed()[point - 1];
  } catch (error) {
    throw new Error(`${name}, killed after operation ${point} (${passed().at(-1)}): ${(error as Error).stack}`);
  } finally {
    await driver.close();
  }
};
