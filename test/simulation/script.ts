/**
 * The tracker's source as one function that is evaluated anew in each page, with the page's window around it: pages share
 * nothing but what a browser lets them share, modules with state of their own included.
 */
import { inject } from "vitest";
import type { Config, Tracker } from "../../src/types.js";
import type { Entry } from "./bundles.js";

type Evaluate = (window: object) => unknown;

const compiled = new Map<Entry, Evaluate>();

/** Makes a module ready to be evaluated in pages. */
export const prepare = (entry: Entry): Evaluate => {
  // Names that are not its own are looked up in the page's window, as a browser does.
  const compile = () =>
    new Function("$page", `with ($page) {\n${inject("bundles")[entry]}\nreturn exported;\n}`) as Evaluate;
  const evaluate = compiled.get(entry) ?? compile();
  compiled.set(entry, evaluate);
  return evaluate;
};

/** The only place that knows how a page makes its tracker. */
export const startTracker = (window: object, config: Config & { name: string }): Tracker => {
  const { openHub } = prepare("src/browser/hub.ts")(window) as typeof import("../../src/browser/hub.js");
  const hub = openHub(config.name);
  hub.init(config);
  return hub;
};
