/** The shape of the source: one rule a folder, imports go down only. A rule that is broken lists every place. */
import ts from "typescript";
import { expect, it } from "vitest";
import { type Import, type Module, readModules } from "../support/modules.js";

const modules = readModules(new URL("../../src", import.meta.url).pathname);
const byName = new Map(modules.map((module) => [module.name, module]));
const inside = (folder: string) => (name: string) => name.startsWith(`${folder}/`);

/** Files directly in `src`, and those directly in `browser`: all others belong to a folder. */
const ENTRIES = ["index", "snippet", "read", "send", "types", "declared"];
const BROWSER_FILES = ["global", "tracker", "config", "reporting", "json", "page"];
const FOLDERS = ["browser/capture", "browser/state", "browser/delivery", "server", "shared", "inspector"];

/** Each import of these modules as a line of text. */
const importsOf = (
  of: (name: string) => boolean,
  isForbidden: (from: string, one: Import, name: string) => boolean,
): string[] =>
  modules
    .filter(({ name }) => of(name))
    .flatMap(({ name, imports }) =>
      imports.filter((one) => isForbidden(one.from, one, name)).map(({ from }) => `${name} imports ${from}`),
    );

const nodesOf = (of: (name: string) => boolean, is: (node: ts.Node) => boolean): string[] =>
  modules
    .filter(({ name }) => of(name))
    .flatMap(({ name, nodes }) => nodes.filter(is).map((node) => `${name}: ${node.getText().split("\n")[0]}`));

const everywhere = (): boolean => true;

/** All that a module reaches, itself included. */
const reach = (name: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const { from } of byName.get(name)?.imports ?? []) reach(from, seen);
  return seen;
};

const isDefault = (node: ts.Node): boolean =>
  ts.isExportAssignment(node) ||
  (ts.isExportSpecifier(node) && node.name.text === "default") ||
  node.kind === ts.SyntaxKind.DefaultKeyword;

const isIdentifier = (words: RegExp) => (node: ts.Node) => ts.isIdentifier(node) && words.test(node.text);

it("reads what the files really import", () =>
  expect(byName.get("browser/tracker")!.imports.length).toBeGreaterThan(5));

it("every file has a folder that says what it is for", () => {
  const hasPlace = (name: string): boolean =>
    ENTRIES.includes(name) ||
    BROWSER_FILES.some((file) => name === `browser/${file}`) ||
    FOLDERS.some((folder) => inside(folder)(name));
  expect(modules.map(({ name }) => name).filter((name) => !hasPlace(name))).toEqual([]);
});

it("every file is reached from an entry", () => {
  const reached = new Set([...ENTRIES, "inspector/main"].flatMap((entry) => [...reach(entry)]));
  expect(modules.map(({ name }) => name).filter((name) => !reached.has(name))).toEqual([]);
});

it("the browser part and the server part never meet", () =>
  expect([
    ...importsOf(inside("browser"), (from) => inside("server")(from)),
    ...importsOf(inside("server"), (from) => inside("browser")(from)),
  ]).toEqual([]));

it("what both use stands below both", () =>
  expect(importsOf(inside("shared"), (from) => !inside("shared")(from))).toEqual([]));

it("only the entries know the tracker and the global", () => {
  const isTop = (name: string): boolean => ["browser/tracker", "browser/global"].includes(name);
  const mayKnow = (name: string): boolean => ENTRIES.includes(name) || name === "browser/global";
  expect(
    importsOf(
      (name) => !mayKnow(name),
      (from, { isType }) => isTop(from) && !isType,
    ),
  ).toEqual([]);
});

it("what is recorded and what is delivered meet in the tracker alone", () =>
  expect([
    ...importsOf(inside("browser/capture"), (from) => inside("browser/delivery")(from)),
    ...importsOf(inside("browser/delivery"), (from) => inside("browser/capture")(from)),
    ...importsOf(inside("browser/state"), (from) => /^browser\/(capture|delivery)\//.test(from)),
  ]).toEqual([]));

it("page alone listens to the document, the window and the history", () => {
  const words = /^((add|remove)EventListener|history|History|on(popstate|pagehide|pageshow|storage|online))$/;
  const isBrowser = (name: string): boolean => inside("browser")(name) && name !== "browser/page";
  expect(nodesOf(isBrowser, isIdentifier(words))).toEqual([]);
});

it("the inspector looks at the tracker from outside, and shares with it what its rows are and its times", () => {
  const shared = /^browser\/(delivery\/(row|timings)|state\/(storage|identity))$/;
  expect(importsOf(inside("inspector"), (from) => !inside("inspector")(from) && !shared.test(from))).toEqual([]);
});

it("the inspector makes no markup of text", () => {
  const words = /^(innerHTML|outerHTML|insertAdjacentHTML|write|srcdoc|cssText)$/;
  expect(nodesOf(inside("inspector"), isIdentifier(words))).toEqual([]);
});

it("the browser part has neither classes, private names nor enums", () =>
  expect(
    nodesOf(
      (name) => /^(browser|inspector)\//.test(name),
      (node) => ts.isClassLike(node) || ts.isPrivateIdentifier(node) || ts.isEnumDeclaration(node),
    ),
  ).toEqual([]));

it("no imports go round in a circle", () =>
  expect(importsOf(everywhere, (from, _, name) => reach(from).has(name))).toEqual([]));

it("every file exports by name", () => expect(nodesOf(everywhere, isDefault)).toEqual([]));

it("every file has at most 150 lines and the name of what it holds", () => {
  const isWrong = ({ name, lines }: Module): boolean => lines > 150 || /util|helper|misc|common/i.test(name);
  expect(modules.filter(isWrong).map(({ name, lines }) => `${name}: ${lines} lines`)).toEqual([]);
});
