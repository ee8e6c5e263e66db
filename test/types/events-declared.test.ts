/** Events declared for the whole app, as the README says: the verbs that are imported check them. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { readmeBlocks } from "../support/readme.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** No such file: its text comes from here, and it lies where the sources are found. */
const APP = join(ROOT, "test/app.ts");

const [EXAMPLE] = await readmeBlocks("In an app", "ts");

const RIGHT = [
  'track("signup", { plan: "team", seats: 3 });',
  'track("signup", { plan: "free", account_uid: "acme" });',
  'track("logout");',
  '(window as unknown as { tracklet: Hub }).tracklet.track("logout");',
];
const WRONG = [
  'track("sign_up", { plan: "team" });',
  'track("signup");',
  'track("signup", { plan: "gold" });',
  'track("signup", { plan: "team", colour: "red" });',
  'track("logout", { plan: "team" });',
  '(window as unknown as { tracklet: Hub }).tracklet.track("sign_up");',
];

it("the README's declaration lets through what it allows, and nothing else", () => {
  const text = `import { type Hub, track } from "tracklet";\n${EXAMPLE}\n${[...RIGHT, ...WRONG].join("\n")}`;
  const options: ts.CompilerOptions = {
    ...ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile).config.compilerOptions,
    target: ts.ScriptTarget.ES2020,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2020.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    rootDir: ROOT,
    noEmit: true,
    noUnusedLocals: false,
    paths: { tracklet: [join(ROOT, "src/index.ts")] },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => file === APP || fileExists(file);
  host.readFile = (file) => (file === APP ? text : readFile(file));
  host.getSourceFile = (file, ...rest) =>
    file === APP ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2020, true) : getSourceFile(file, ...rest);
  const program = ts.createProgram([APP], options, host);
  const source = program.getSourceFile(APP)!;
  const objections = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  const lines = text.split("\n");
  expect(objections.map(({ start }) => lines[text.slice(0, start).split("\n").length - 1])).toEqual(WRONG);
});
