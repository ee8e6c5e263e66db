import fc from "fast-check";
import { type Cannot, type Driver, OWN } from "./driver.js";
import { requireAll, requireSome } from "./properties.js";
import { newState, newWorkspace, type State } from "./state.js";
import { KINDS, type Step, stepOf, ZONES } from "./steps.js";

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

/** The history of a seed, with some of the kinds of steps, so that rare pairs are common in some. */
export const historyOf = (seed: number, cannot: Cannot, isAsked: (name: string) => boolean = () => true): History => {
  const names = Object.keys(KINDS).filter((name) => cannot[name] === undefined && isAsked(name));
  const length = { minLength: Math.min(2, names.length), maxLength: Math.min(9, names.length) };
  const history = fc.tuple(fc.subarray(names, length), fc.constantFrom(...ZONES)).chain(([some, zone]) => {
    const kinds = [...new Set([...ALWAYS, ...some])];
    const steps = fc.array(fc.oneof(...kinds.map(stepOf), look), { minLength: 8, maxLength: 24, size: "max" });
    return steps.map((steps) => ({ kinds, steps, zone }));
  });
  return fc.sample(fc.noBias(history), { seed, numRuns: 1 })[0]!;
};

/** Runs one, and asks for everything at its end. @param told hears each step that is done @throws Error with the steps until then */
export const live = async (
  { steps, zone }: History,
  open: Place["open"],
  told: (step: string) => void = () => {},
): Promise<void> => {
  const done: string[] = [];
  const driver = await open();
  try {
    const state = newState();
    state.workspaces.set("default", newWorkspace("default", zone));
    for (const step of steps) {
      done.push(String(step));
      told(String(step));
      await step.run(state, driver);
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
