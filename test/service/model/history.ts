import fc from "fast-check";
import { type Cannot, type Driver, FAULTS, OWN } from "./driver.js";
import { requireAll, requireKnown, requireSome } from "./properties.js";
import { newState, newWorkspace, type State } from "./state.js";
import { KINDS, pick, type Step, stepOf, ZONES } from "./steps.js";

/** A history: which kinds of steps it has, and its steps. */
interface History {
  kinds: string[];
  steps: Step[];
  zone: string;
}

/** Where histories run. */
export interface Place {
  open(): Promise<Driver>;
  cannot: Cannot;
}

/** At random points something is asked. */
const look = fc.nat(999).map(
  (chance): Step => ({
    run: (state, driver) => requireSome(state, driver, chance),
    toString: () => `look(${chance})`,
  }),
);

/** Without these there is nothing to ask for. */
const ALWAYS = ["event", "past"];

/** The history of a seed, with some of the kinds of steps, so that rare pairs are common in some. Something breaks in each, where it can. */
export const historyOf = (seed: number, cannot: Cannot, isAsked: (name: string) => boolean = () => true): History => {
  const names = Object.keys(KINDS).filter((name) => cannot[name] === undefined && isAsked(name));
  const faults = FAULTS.filter((name) => names.includes(name));
  const length = { minLength: Math.min(2, names.length), maxLength: Math.min(9, names.length) };
  const drawn = fc.tuple(fc.subarray(names, length), fc.nat(999), fc.constantFrom(...ZONES));
  const history = drawn.chain(([some, fault, zone]) => {
    const kinds = [...new Set([...ALWAYS, ...some, ...(faults.length > 0 ? [pick(faults, fault)] : [])])];
    const steps = fc.array(fc.oneof(...kinds.map(stepOf), look), { minLength: 8, maxLength: 24, size: "max" });
    return steps.map((steps) => ({ kinds, steps, zone }));
  });
  return fc.sample(fc.noBias(history), { seed, numRuns: 1 })[0]!;
};

/** What is run, and how. */
interface Runs {
  /** Seeds: the first, and how many. */
  from: number;
  count: number;
  /** Beside each other, as each waits for what follows in a moment. Default: 1 */
  atATime?: number;
  /** Are there to be more, after so many that have failed? Default: none after the first */
  goesOn?(failed: number): boolean;
  /** Which kinds of steps there are. Default: all */
  isAsked?(name: string): boolean;
  /** Hears what is left out, and of each history and its steps. */
  told?(line: string): void;
}

/** Runs the histories of some seeds. @returns what has failed, with the command that does it again */
export const liveAll = async (
  { open, cannot }: Place,
  { from, count, atATime = 1, goesOn = (failed) => failed === 0, isAsked, told = () => {} }: Runs,
): Promise<string[]> => {
  for (const [name, why] of Object.entries(cannot)) told(`left out: ${name}: ${why}`);
  const failed: string[] = [];
  let next = from;
  const runSome = async (): Promise<void> => {
    while (next < from + count && goesOn(failed.length)) {
      const seed = next++;
      const history = historyOf(seed, cannot, isAsked);
      const began = performance.now();
      const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
      told(`seed ${seed}: ${history.kinds.join(", ")} in ${history.zone}`);
      await live(history, open, (step) => told(`  ${seconds()} ${step}`)).catch(({ message }: Error) => {
        const driver = "kill" in cannot ? "--in-process " : "";
        failed.push(`npm run model -- ${driver}--runs 1 --seed ${seed}: ${message}`);
        told(failed.at(-1)!);
      });
    }
  };
  await Promise.all(Array.from({ length: atATime }, runSome));
  return failed;
};

/** Runs one, and asks for everything at its end. @throws Error with the steps until then */
const live = async ({ steps, zone }: History, open: Place["open"], told: (step: string) => void): Promise<void> => {
  const done: string[] = [];
  const driver = await open();
  try {
    const state = newState();
    state.workspaces.set("default", newWorkspace("default", zone));
    await driver.ask("PUT", "/v2/numbers/time-zone", { token: OWN.admin, body: { time_zone: zone } });
    for (const step of steps) {
      done.push(String(step));
      told(String(step));
      await step.run(state, driver);
      await requireKnown(state, driver);
    }
    if (state.skew !== 0) await driver.setClock(0);
    state.skew = 0;
    await driver.heal();
    await requireAll(state, driver, state.sent);
    await requireUsable(state, driver);
  } catch (error) {
    throw new Error(`${(error as Error).stack}\n  after ${done.join(", ")}`);
  } finally {
    await driver.close();
  }
};

/** Whatever happened, an event is taken and told. */
const requireUsable = async (state: State, driver: Driver): Promise<void> => {
  const mark = `m${++state.sent}-q7z`;
  const body = { contact_uid: "person-last-q7z", event_uid: "last", params: { mark } };
  const { status } = await driver.ask("POST", `/v1/track/event?api_token=${OWN.api}`, { body });
  if (status !== 200) throw new Error(`at the end an event is answered with ${status}`);
};
