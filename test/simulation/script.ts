/**
 * The tracker's source as one function that is evaluated anew in each page, with the page's window around it: pages share
 * nothing but what a browser lets them share, modules with state of their own included.
 */
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";
import type { Config, Tracker } from "../../src/types.js";

/** Where a module is found, from the project's root. */
export type Entry = `src/${string}.ts`;
type Evaluate = (window: object) => unknown;

const bundles = new Map<Entry, Promise<Evaluate>>();

const bundle = async (entry: Entry): Promise<Evaluate> => {
  const [{ output }] = (await build({
    configFile: false,
    logLevel: "warn",
    root: fileURLToPath(new URL("../..", import.meta.url)),
    build: { write: false, minify: false, target: "es2022", lib: { entry, formats: ["iife"], name: "exported" } },
  })) as [Rolldown.RolldownOutput];
  // Names that are not its own are looked up in the page's window, as a browser does.
  return new Function("$page", `with ($page) {\n${output[0].code}\nreturn exported;\n}`) as Evaluate;
};

/** Makes a module ready to be evaluated in pages. */
export const prepare = (entry: Entry): Promise<Evaluate> => {
  const prepared = bundles.get(entry) ?? bundle(entry);
  bundles.set(entry, prepared);
  return prepared;
};

type Start = (window: object, config: Config & { name: string }) => Tracker;

/** The only place that knows how a page makes its tracker. */
export const prepareTracker = async (): Promise<Start> => {
  const evaluate = await prepare("src/browser/global.ts");
  return (window, config) => {
    const hub = (evaluate(window) as typeof import("../../src/browser/global.js")).openHub(config.name);
    hub.init(config);
    return hub;
  };
};
