/** The calls that the page makes while the panel is open, and what became of each. */
import type { Activity, Call } from "./activity.js";
import { keep } from "./visible.js";

type Hub = Record<string, (...args: unknown[]) => unknown>;

/** Verbs that only ask; the panel calls them, too. */
const QUIET = /^(flush|debug|identity|consent|onChange)$/;

/**
 * Stands in front of the verbs of a tracker that has come, and lets each call through as it is.
 *
 * @param listener the panel's own, whose call is none of the page's
 * @returns what begins that, once the tracker is there; what notes what the tracker tells; and what ends it
 */
export const watchCalls = ({ calls }: Activity, listener: unknown) => {
  let open: Call | undefined;
  let hub: Hub | undefined;
  let own: Hub = {};

  const carryOut = <T>(verb: string, args: readonly unknown[], run: () => T): T => {
    const outer = open;
    open = keep<Call>(calls, { verb, args, became: "" });
    try {
      return run();
    } finally {
      open = outer;
    }
  };
  /** One of the calls that `push` was given. */
  const pass = (call: unknown): void => {
    const [verb, ...args] = Array.isArray(call) ? call : ["push", call];
    if (args[0] === listener) own.push!(call);
    else carryOut(`${String(verb)}`, args, () => own.push!(call));
  };

  return {
    /** While a call is carried out, what is told is of it. */
    tell: (text: string): void => {
      if (open) open.became += `${open.became && ", "}${text}`;
    },
    begin: (tracker: object): void => {
      if (hub) return;
      hub = tracker as Hub;
      own = { ...hub };
      for (const verb of Object.keys(own).filter((verb) => !QUIET.test(verb)))
        hub[verb] = (...args) => carryOut(verb, args, () => own[verb]!(...args));
      hub.push = (...given) => given.forEach(pass);
    },
    end: (): void => void Object.assign(hub ?? {}, own),
  };
};
