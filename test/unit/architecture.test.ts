/** The shape of the source: one rule a folder, imports go down only. A rule that is broken lists every place. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";

interface Module {
  /** Path below `src`, without `.ts`. */
  name: string;
  lines: string[];
  /** The text without comments and what stands in quotes. */
  code: string;
  imports: { from: string; isType: boolean }[];
}

const SRC = new URL("../../src", import.meta.url).pathname;
const IMPORT = /^(?:import|export) (type )?(?:[^;"]*? from )?"([^"]+)"|\bimport\("([^"]+)"\)/gm;
const modules = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => /(?<!\.d)\.ts$/.test(file))
  .map((file): Module => {
    const text = readFileSync(join(SRC, file), "utf8");
    const nameOf = (path: string): string =>
      path.startsWith(".") ? posix.join(posix.dirname(file), path).replace(/\.js$/, "") : path;
    return {
      name: file.replace(/\.ts$/, ""),
      lines: text.trimEnd().split("\n"),
      code: text.replace(/\/\*.*?\*\/|^\s*\/\/.*$|"(?:[^"\\\n]|\\.)*"/gms, ""),
      imports: [...text.matchAll(IMPORT)].map(([, type, path, dynamic]) => ({
        from: nameOf((path ?? dynamic)!),
        isType: !!type,
      })),
    };
  });
const byName = new Map(modules.map((module) => [module.name, module]));

/** Files directly in `src`, and those directly in `browser`: all others belong to a folder. */
const ENTRIES = /^(index|snippet|read|send|clicks|active|test|types|declared)$/;
const PLACES =
  /^(browser\/(global|tracker|config|reporting|json|page)$|browser\/(capture|state|delivery)\/|server\/|shared\/|inspector\/|addons\/)/;

/** Each import that is wrong as a line of text. */
const imports = (of: RegExp, isWrong: (from: string, module: Module, isType: boolean) => boolean): string[] =>
  modules
    .filter(({ name }) => of.test(name))
    .flatMap((module) =>
      module.imports
        .filter(({ from, isType }) => isWrong(from, module, isType))
        .map(({ from }) => `${module.name} imports ${from}`),
    );
/** Each place in the code of these files that has such words. */
const places = (of: RegExp, words: RegExp): string[] =>
  modules
    .filter(({ name }) => of.test(name))
    .flatMap(({ name, code }) => (words.exec(code) ?? []).map((word) => `${name}: ${word}`));

/** All that a module reaches, itself included. */
const reach = (name: string, seen = new Set<string>()): Set<string> => {
  if (!seen.has(name)) for (const { from } of byName.get(name)?.imports ?? []) reach(from, seen.add(name));
  return seen.add(name);
};

it.each<[string, () => string[]]>([
  [
    "every file has a folder that says what it is for",
    () => modules.map(({ name }) => name).filter((name) => !ENTRIES.test(name) && !PLACES.test(name)),
  ],
  [
    "every file is reached from an entry",
    () => {
      const names = modules.map(({ name }) => name);
      const entries = names.filter((name) => ENTRIES.test(name) || /^inspector\/main$|-script$/.test(name));
      const reached = new Set(entries.flatMap((entry) => [...reach(entry)]));
      return names.filter((name) => !reached.has(name));
    },
  ],
  [
    "the browser part and the server part never meet",
    () =>
      imports(
        /^(browser|server)\//,
        (from, { name }) => /^(browser|server)\//.test(from) && from.split("/")[0] !== name.split("/")[0],
      ),
  ],
  ["what both use stands below both", () => imports(/^shared\//, (from) => !from.startsWith("shared/"))],
  [
    "only the entries know the tracker and the global",
    () =>
      imports(/^(?!browser\/global$).*\//, (from, _, isType) => /^browser\/(tracker|global)$/.test(from) && !isType),
  ],
  [
    "what is recorded and what is delivered meet in the tracker alone",
    () => [
      ...imports(/^browser\/capture\//, (from) => from.startsWith("browser/delivery/")),
      ...imports(/^browser\/delivery\//, (from) => from.startsWith("browser/capture/")),
      ...imports(/^browser\/state\//, (from) => /^browser\/(capture|delivery)\//.test(from)),
    ],
  ],
  [
    "the inspector looks at the tracker from outside, and shares with it what its rows are and its times",
    () =>
      imports(
        /^inspector\//,
        (from) => !/^(inspector\/|browser\/(delivery\/(row|timings)|state\/(storage|identity))$)/.test(from),
      ),
  ],
  [
    "the add-ons use the verbs, and no other script uses them",
    () => [
      ...imports(/^(addons\/|clicks$|active$)/, (from) => !/^(addons\/|index$|types$|declared$)/.test(from)),
      ...imports(/^(?!addons\/|clicks$|active$)/, (from) => /^(addons\/|clicks$|active$)/.test(from)),
    ],
  ],
  ["no imports go round in a circle", () => imports(/^/, (from, { name }) => reach(from).has(name))],
  [
    "page alone listens to the document, the window and the history",
    () =>
      places(
        /^browser\/(?!page$)/,
        /\b((add|remove)EventListener|history|History|on(popstate|pagehide|pageshow|storage|online))\b/,
      ),
  ],
  [
    "the inspector and the add-ons make no markup of text",
    () =>
      places(/^(inspector|addons)\//, /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|cssText)\b/),
  ],
  [
    "the browser part has neither classes nor private names",
    () => places(/^(browser|inspector|addons)\//, /\bclass \w|\.#\w/),
  ],
  [
    "every file has at most 150 lines and the name of what it holds",
    () =>
      modules
        .filter(({ name, lines }) => lines.length > 150 || /util|helper|misc|common/i.test(name))
        .map(({ name, lines }) => `${name}: ${lines.length} lines`),
  ],
])("%s", (_, broken) => expect(broken()).toEqual([]));

it("reads what the files really import, and finds what is forbidden", () => {
  expect(byName.get("browser/tracker")!.imports.length).toBeGreaterThan(5);
  expect(imports(/^browser\/tracker$/, (from) => from === "browser/page")).toHaveLength(1);
  expect(places(/^browser\/page$/, /\baddEventListener\b/)).toHaveLength(1);
  expect(places(/^server\/errors$/, /\bclass \w/)).toHaveLength(1);
});
