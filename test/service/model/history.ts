import fc from "fast-check";
import { type Cannot, type Driver, OWN } from "./driver.js";
import { requireAll, requireSome } from "./properties.js";
import { newState, newWorkspace, type State } from "./state.js";
import { KINDS, type Step, stepOf, ZONES } from "./steps.js";

/** A history: which kinds of steps it has, and its steps. */
export interface History {
  kinds: string[];
  steps: Iterable<Step>;
  zone: string;
}

/** At random points something is asked. */
const look = fc.nat(999).map(
  (chance): Step => ({
    check: () => true,
    run: (state, driver) => requireSome(state as State, driver, chance),
    toString: () => `look(${chance})`,
  }),
);

/** Without these there is nothing to ask for. */
const ALWAYS = ["event", "past"];

/** Histories with some of the kinds of steps each, so that rare pairs are common in some. */
export const histories = (names: readonly string[], most = 24): fc.Arbitrary<History> =>
  fc
    .tuple(
      fc.subarray([...names], { minLength: Math.min(2, names.length), maxLength: Math.min(9, names.length) }),
      fc.nat(ZONES.length - 1),
    )
    .chain(([some, zone]) => {
      const kinds = [...new Set([...ALWAYS, ...some])];
      const all = [...kinds.map(stepOf), look];
      const steps = fc.array(fc.oneof(...all), { minLength: 5, maxLength: most, size: "max" });
      return steps.map((steps) => ({ kinds, steps, zone: ZONES[zone]! }));
    });

/** Runs one, and asks for everything at its end. @param told hears each step that is done */
export const live = async (
  { steps, zone }: History,
  open: () => Promise<Driver>,
  told: (text: string) => void = () => {},
): Promise<void> => {
  const driver = await open();
  try {
    const model = newState();
    model.workspaces.set("default", newWorkspace("default", zone));
    const setup = () => ({ model, real: driver });
    const telling = [...steps].map((step) => ({
      check: (state: State) => step.check(state),
      run: (state: State, real: Driver) => {
        told(String(step));
        return step.run(state, real);
      },
      toString: () => String(step),
    }));
    await fc.asyncModelRun(setup, telling as never);
    if (model.skew !== 0) await driver.setClock(0);
    model.skew = 0;
    await driver.heal();
    await requireAll(model, driver, model.sent);
    await requireUsable(model, driver);
  } finally {
    await driver.close();
  }
};

/** Whatever happened, an event is taken and told. */
const requireUsable = async (state: State, driver: Driver): Promise<void> => {
  const mark = `m${++state.sent}-q7z`;
  const body = { contact_uid: `person-last-q7z`, event_uid: "last", params: { mark } };
  const { status } = await driver.ask("POST", `/v1/track/event?api_token=${OWN.api}`, { body });
  if (status !== 200) throw new Error(`at the end an event is answered with ${status}`);
};

/** What a driver can do of all kinds. */
export const kindsFor = (cannot: Cannot): string[] => Object.keys(KINDS).filter((name) => cannot[name] === undefined);
