/** The shape of the source: imports go down only. A rule that is broken lists every place. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";

interface Module {
  /** Path below `src`, without `.ts`. */
  name: string;
  lines: string[];
  /** The text without comments and what stands in quotes. */
  code: string;
  imports: string[];
}

const ROOT = new URL("../..", import.meta.url).pathname;
const IMPORT = /^(?:import|export) (?:[^;"]*? from )?"([^"]+)"|\bimport\("([^"]+)"\)/gm;
const modules = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /(?<!\.d)\.ts$/.test(file) && !/^service\/(build|release)\.ts|node_modules/.test(file))
  .map((file): Module => {
    const text = readFileSync(join(ROOT, "src", file), "utf8");
    const nameOf = (path: string): string =>
      path.startsWith(".") ? posix.join(posix.dirname(file), path).replace(/\.js$/, "") : path;
    return {
      name: file.replace(/\.ts$/, ""),
      lines: text.trimEnd().split("\n"),
      code: text.replace(/\/\*.*?\*\/|^\s*\/\/.*$|"(?:[^"\\\n]|\\.)*"/gms, ""),
      imports: [...text.matchAll(IMPORT)].map(([, path, dynamic]) => nameOf((path ?? dynamic)!)),
    };
  });
const byName = new Map(modules.map((module) => [module.name, module]));

/** The folders of the service, from the top: each imports from those below it, `ingest` and `records` not from each other. */
const SERVICE = [
  "commands",
  "monitoring",
  "numbers",
  "admin",
  "deletion",
  "days",
  "ingest",
  "records",
  "access",
  "http",
  "database",
  "config",
  "base",
];
/** What stands beside the service, but for what is shared by all. */
const BESIDE = [...new Set(modules.map(({ name }) => name.split("/")[0]!))].filter(
  (one) => !/^(service|shared)$/.test(one),
);

/** Each import that is wrong as a line of text. */
const imports = (of: RegExp, isWrong: (from: string, by: string) => boolean): string[] =>
  modules
    .filter(({ name }) => of.test(name))
    .flatMap(({ name, imports }) =>
      imports.filter((from) => isWrong(from, name)).map((from) => `${name} imports ${from}`),
    );
/** Each place in the code of these files that has such words. */
const places = (of: RegExp, words: RegExp): string[] =>
  modules
    .filter(({ name }) => of.test(name))
    .flatMap(({ name, code }) => (words.exec(code) ?? []).map((word) => `${name}: ${word}`));

/** All that a module reaches, itself included. */
const reach = (name: string, seen = new Set<string>()): Set<string> => {
  if (!seen.has(name)) for (const from of byName.get(name)?.imports ?? []) reach(from, seen.add(name));
  return seen.add(name);
};

/** What the parts of a tracker have in common. */
const COMMON = "shared/|types(/|$)|browser/(config|reporting|page)$";
it.each<[what: string, who: RegExp, mayImport: string]>([
  ["what browser and server share stands below both", /^shared\//, "shared/"],
  ["what runs on servers meets no browser part", /^(api-client\/|read$|send$)/, "(api-client|shared)/|types(/|$)"],
  ["what all of the tracker uses knows nothing of it", /^browser\/(config|reporting|page)$/, COMMON],
  ["the browser part never meets what runs on servers", /^browser\//, "(?!api-client/)"],
  ["nothing beside the service uses it but its pages", /^(?!service\/|pages\/)/, "(?!service/)"],
  [
    "the pages of the service take from it what it answers, and nothing else but what they share",
    /^pages\//,
    "pages/|uplot$|typebox$|service/numbers/(number-schemas|spans)$|shared/(no-one|change)$",
  ],
  ["the service uses nothing beside it but what is shared", /^service\//, `(?!(${BESIDE.join("|")})(/|$))`],
  ["what is stored stands below what records and delivers", /^browser\/state\//, `browser/state/|${COMMON}`],
  [
    "what is recorded meets what is delivered in the tracker alone",
    /^browser\/capture\//,
    `browser/capture/|${COMMON}`,
  ],
  [
    "what is delivered knows of what is recorded how a body is made, and the page's hook",
    /^browser\/delivery\//,
    `browser/(delivery/|state/|capture/event-body$)|${COMMON}`,
  ],
  [
    "the inspector watches the tracker from outside, and shares with it what its rows are and its times",
    /^inspector\/(watch|ask)\//,
    "inspector/(watch|ask)/|shared/(attempt|option-values)$|browser/(delivery/row|state/(storage|identity))$",
  ],
  [
    "it judges by what it watches",
    /^inspector\/judge\//,
    "inspector/(watch|ask|judge)/|shared/(attempt|option-values)$",
  ],
  ["it shows what it judges", /^inspector\/(show\/|main$)/, "inspector/|shared/option-values$"],
  ...SERVICE.map((folder, at): [string, RegExp, string] => {
    const below = SERVICE.slice(at).filter((one) => folder !== "ingest" || one !== "records");
    return [
      `${folder} of the service is built on what stands below`,
      RegExp(`^service/${folder}/`),
      `(?!service/(?!package.json$))|service/(${below.join("|")})/`,
    ];
  }),
  ["what asks a service shares nothing with what sends to it", /^conform\//, "conform/|node:"],
  ["the add-ons use the verbs", /^(addons\/|clicks$|active$)/, "addons/|index$|types(/|$)"],
  ["no other entry has the add-ons", /^(index|script-tag|read|send|recorder|instance)$/, "(?!addons/|clicks$|active$)"],
])("%s", (_, who, mayImport) => expect(imports(who, (from) => !RegExp(`^(${mayImport})`).test(from))).toEqual([]));

it.each<[string, () => string[]]>([
  [
    "http alone knows Fastify's errors",
    () =>
      modules
        .filter(
          ({ name, lines }) => /^service\/(?!http\/)/.test(name) && /\bFastify\w*Error\b|\bFST_/.test(lines.join()),
        )
        .map(({ name }) => name),
  ],
  ["database alone knows pg", () => imports(/^service\/(?!database\/)/, (from) => /^pg(-copy-streams)?$/.test(from))],
  ["no imports go round in a circle", () => imports(/^/, (from, by) => reach(from).has(by))],
  [
    "page alone listens to the document, the window and the history",
    () =>
      places(
        /^browser\/(?!page$)/,
        /\b((add|remove)EventListener|history|History|on(popstate|pagehide|pageshow|storage|online))\b/,
      ),
  ],
  [
    "the inspector, the add-ons and the pages make no markup of text",
    () => places(/^(inspector|addons|pages)\//, /\.(innerHTML|outerHTML|insertAdjacentHTML|write|srcdoc|cssText)\b/),
  ],
  [
    "the browser part has neither classes nor private names",
    () => places(/^(browser|inspector|addons|pages)\//, /\bclass \w|\.#\w/),
  ],
])("%s", (_, broken) => expect(broken()).toEqual([]));

it("reads what the files really import, and finds what is forbidden", () => {
  expect(byName.get("browser/tracker")!.imports.length).toBeGreaterThan(5);
  expect(imports(/^browser\/tracker$/, (from) => from === "browser/page")).toHaveLength(1);
  expect(places(/^browser\/page$/, /\baddEventListener\b/)).toHaveLength(1);
  expect(places(/^api-client\/errors$/, /\bclass \w/)).toHaveLength(1);
  expect(imports(/^service\/database\/postgres\/addresses$/, (from) => from === "pg")).toHaveLength(1);
  expect(imports(/^service\/app$/, (from) => from === "service/ingest/event-route")).toHaveLength(1);
});

it("names what bounds each table of the database and each key of the browser's storage", () => {
  const grows = /^### What grows$.*?(?=^### )/ms.exec(readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8"))![0];
  const named = new Set([...grows.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const migrations = join(ROOT, "src/service/database/migrations");
  const sql = readdirSync(migrations).map((file) => readFileSync(join(migrations, file), "utf8"));
  const gone = [...sql.join("\n").matchAll(/DROP TABLE ([^;]+)/g)].flatMap(([, names]) => names!.split(", "));
  const made = [...sql.join("\n").matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name!);
  const tables = made.filter((name) => !gone.includes(name));
  const browser = modules.filter(({ name }) => name.startsWith("browser/")).flatMap(({ lines }) => lines);
  const constants = browser.join("\n").matchAll(/\b(?:named|filed)\(([A-Z]+)\b/g);
  const keys = [...new Set([...constants].map(([, constant]) => constant))].map(
    (constant) => RegExp(`\\bconst ${constant} = "(\\w+)`).exec(browser.join("\n"))![1]!,
  );
  expect(tables.length).toBeGreaterThan(15);
  expect(keys).toContain("consent");
  expect([...tables, ...keys].filter((name) => !named.has(name))).toEqual([]);
});
