/**
 * The shape of the source: data flows one way, and imports go down only. A file that this table does not know fails, so
 * that a new one is given its place on purpose.
 */
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { type Import, type Module, readModules } from "./support/modules.js";

/** The browser part, from the bottom up. */
const LEVELS = [
  ["types", "declared", "attempt"],
  ["storage", "page", "retry", "uuid", "redact", "config", "row", "flight"],
  ["event", "identity", "consent", "queue", "tabs", "backoff", "transport"],
  ["sender", "verdict", "flush", "pageviews"],
  ["tracker"],
  ["hub"],
  ["index", "snippet"],
];
/** What servers import, and the files that only they use. */
const SERVER = ["read", "send", "request", "user-list", "records", "shape", "errors", "check"];
/** The files on those levels that servers use as well: small and pure. */
const SHARED = ["retry", "uuid"];
/** Words that two neighbours agree on: constants, not behaviour. */
const SHARED_CONSTANTS = ["HANDED_OFF", "RENEW_MS"];

const all = readModules(new URL("../src", import.meta.url).pathname);
/** The inspector is a script of its own, which looks at the tracker from outside. */
const INSPECTOR = "inspector/";
const modules = all.filter(({ name }) => !name.startsWith(INSPECTOR));
const inspector = all.filter(({ name }) => name.startsWith(INSPECTOR));
const byName = new Map(modules.map((module) => [module.name, module]));
const levelOf = (name: string): number => LEVELS.findIndex((level) => level.includes(name));
const browserPart = modules.filter(({ name }) => levelOf(name) >= 0);

/** May a file of the browser part, on `level`, import this? */
const goesDown = (level: number, { from, names, isType }: Import): boolean => {
  const target = levelOf(from);
  if (target < 0) return false;
  // The entries know the tracker and its hub, and otherwise types; the hub waits until its page is shown.
  if (level > 4) return (target >= 4 && target < level) || target === 0 || (level === 5 && from === "page");
  if (level === 4) return target < 4;
  if (level === 3) {
    // The sender is given its verdict.
    if (from === "verdict") return isType;
    return target < 2 || (target === 2 && (isType || names.every((n) => SHARED_CONSTANTS.includes(n))));
  }
  if (level === 2) return target < 2;
  return target === 0 ? level === 1 || isType : level === 1 && target === 1 && isType;
};

/** All that a module reaches, itself included. */
const reach = (name: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const { from } of byName.get(name)?.imports ?? []) reach(from, seen);
  return seen;
};

const found = (module: Module, is: (node: ts.Node) => boolean): string[] =>
  module.nodes.filter(is).map((node) => node.getText().split("\n")[0]!);

const isDefault = (node: ts.Node): boolean =>
  ts.isExportAssignment(node) ||
  (ts.isExportSpecifier(node) && node.name.text === "default") ||
  node.kind === ts.SyntaxKind.DefaultKeyword;

/** Words that listen to the page or change its history. */
const PAGE_WORDS = /^((add|remove)EventListener|history|History|on(popstate|pagehide|pageshow|storage|online))$/;

it("every file has its place", () =>
  expect(modules.map(({ name }) => name).filter((name) => levelOf(name) < 0 && !SERVER.includes(name))).toEqual([]));

it("reads what the files really import", () => {
  expect(byName.get("tracker")!.imports.length).toBeGreaterThan(8);
  expect(byName.get("sender")!.imports).toContainEqual({ from: "transport", names: ["Transport"], isType: true });
});

describe.each(browserPart.map((module) => [module.name, module] as const))("%s", (name, module) => {
  it("imports downwards only", () => expect(module.imports.filter((one) => !goesDown(levelOf(name), one))).toEqual([]));
  it("has neither classes, private names nor enums", () =>
    expect(
      found(module, (node) => ts.isClassLike(node) || ts.isPrivateIdentifier(node) || ts.isEnumDeclaration(node)),
    ).toEqual([]));
  it("leaves listeners and the history to the page module", () => {
    const words = found(module, (node) => ts.isIdentifier(node) && PAGE_WORDS.test(node.text));
    expect(words.length > 0).toBe(name === "page");
  });
});

describe.each(modules.map((module) => [module.name, module] as const))("%s", (name, module) => {
  it("has at most 150 lines", () => expect(module.lines).toBeLessThanOrEqual(150));
  it("is named after what it holds", () => expect(name).not.toMatch(/util|helper|misc|common/i));
  it("exports by name", () => expect(found(module, isDefault)).toEqual([]));
  it("is in no circle", () =>
    expect(module.imports.map(({ from }) => from).filter((from) => reach(from).has(name))).toEqual([]));
});

it.each([
  ["servers", ["read", "send"], [...SERVER, ...SHARED]],
  ["pages", ["index", "snippet"], LEVELS.flat()],
])("%s reach their own files, all of them and no others", (_, entries, files) =>
  expect(new Set(entries.flatMap((entry) => [...reach(entry)]))).toEqual(new Set(files)),
);

describe.each(inspector.map((module) => [module.name, module] as const))("%s", (_, module) => {
  it("imports nothing of the tracker", () =>
    expect(
      module.imports.filter(({ from }) => !inspector.some(({ name }) => name === `${INSPECTOR}${from}.ts`)),
    ).toEqual([]));
  it("has at most 150 lines, exports by name, and has no classes", () => {
    expect(module.lines).toBeLessThanOrEqual(150);
    expect(found(module, (node) => isDefault(node) || ts.isClassLike(node))).toEqual([]);
  });
  it("makes no markup of text", () =>
    expect(
      found(
        module,
        (node) =>
          ts.isIdentifier(node) && /^(innerHTML|outerHTML|insertAdjacentHTML|write|srcdoc|cssText)$/.test(node.text),
      ),
    ).toEqual([]));
});
