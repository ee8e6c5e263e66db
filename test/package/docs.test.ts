/** What the pages say: every link leads somewhere, every example compiles, every figure is that of the code. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { runInNewContext } from "node:vm";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { redact } from "../../src/browser/capture/redact.js";
import { verbs } from "../../src/browser/tracker.js";
import { runCommand } from "../../src/service/commands/cli.js";
import { readConfig } from "../../src/service/config/options.js";
import { ROOT } from "../support/launch.js";
import { blocksOf, PAGES, readmeBlocks, readPage } from "../support/readme.js";

const blocks = (await Promise.all(PAGES.map(blocksOf))).flat();
/** A block of code behind `<!-- include: file -->` holds that file of an app. A line before it may say where the reader puts it, unless Jest reads the first comment. */
const INCLUDED = /(<!-- include: (\S+) -->\n\n```\w+\n(?:\/\/ \S+\n(?!\/\*\* @))?)[^`]*(?=```)/g;
const where = ({ page, section }: { page: string; section: string }): string => `${page}, "${section}"`;

/** The modules whose types the examples must keep to. */
const LOOKED_AT = /^(\.|tracklet|playwright)/;
/** What the compiler objects to in files that use the package's public types, given by their names: they need not exist. */
const objectionsTo = (files: ReadonlyMap<string, string>, strict: boolean) => {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    noEmit: true,
    jsx: ts.JsxEmit.Preserve,
    skipLibCheck: true,
    types: [],
    paths: {
      tracklet: [join(ROOT, "src/index.ts")],
      "tracklet/test": [join(ROOT, "src/recorder.ts")],
      "tracklet/*": [join(ROOT, "src/*.ts")],
    },
    strict,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  // Of all other packages, looking for their types would take longer than the rest.
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      LOOKED_AT.test(text) ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined },
    );
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files].flatMap(([file, text]) => {
    const source = program.getSourceFile(file)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start, messageText }) => ({
        file,
        line: text.split("\n")[source.getLineAndCharacterOfPosition(start!).line]!,
        message: ts.flattenDiagnosticMessageText(messageText, "\n"),
      }),
    );
  });
};

it("the README can be read at once, and so can each page that it names as an owner's", async () => {
  const readme = await readPage("README.md");
  expect(readme.split("\n").length).toBeLessThanOrEqual(95);
  const owners = /^- \*\*You own a site\*\*.*$/m.exec(readme)![0];
  const pages = Array.from(owners.matchAll(/\]\((\S+)\)/g), ([, page]) => page!);
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect((await readPage(page)).match(/\S+/g)!.length, page).toBeLessThanOrEqual(600);
});

describe("links", () => {
  /** As GitHub makes anchors of headings. */
  const anchors = (text: string): string[] =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    );

  it.each(PAGES)("of %s lead to a file, and to a heading in it", async (page) => {
    const { repository } = JSON.parse(await readPage("package.json")) as { repository: { url: string } };
    const files = repository.url.replace(/^git\+(.*)\.git$/, "$1/blob/main/");
    const text = (await readPage(page)).replace(/^```.*?^```$/gms, "");
    const broken: string[] = [];
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const inside = link!.replace(files, `${"../".repeat(page.split("/").length - 1)}`);
      if (/^https?:/.test(inside)) continue;
      const [path, anchor] = inside.split("#") as [string, string?];
      const target = path ? join(page, "..", path) : page;
      if (!existsSync(join(ROOT, target))) broken.push(link!);
      else if (anchor && !anchors(await readPage(target)).includes(anchor)) broken.push(link!);
    }
    expect(broken).toEqual([]);
  });
});

describe("examples", () => {
  it("are in languages that a test looks at", () => {
    // The service's tests run what is in SQL and jq.
    const known = /^(js|jsx|ts|tsx|json|html|sh|sql|jq|yaml|mermaid|http|erb|text|)$/;
    expect(blocks.filter(({ language }) => !known.test(language)).map(where)).toEqual([]);
  });

  it("of JSON and YAML can be read", () => {
    // In JSON a line is an object, or the block is.
    for (const { language, code, ...place } of blocks)
      if (/^(json|yaml)$/.test(language))
        for (const one of code.includes("}\n{") ? code.trim().split("\n") : [code])
          expect(() => parse(one), where(place)).not.toThrow();
  });

  it("of TypeScript and JavaScript compile against the public types", () => {
    // A declaration of events would hold for all of them.
    const modules = blocks.filter(
      ({ language, code }) => /^(js|jsx|ts|tsx)$/.test(language) && !code.includes('declare module "tracklet"'),
    );
    expect(modules.length).toBeGreaterThan(15);
    const files = new Map(
      modules.map(({ code, language }, index) => [
        join(ROOT, `test/example-${index}.${language === "js" ? "mts" : language.replace("j", "t")}`),
        `${code}${/^(im|ex)port /m.test(code) ? "" : "export {};"}`,
      ]),
    );
    const names = [...files.keys()];
    // What they import of others may be anything; `relative` modules are the reader's own.
    const imported = [...files.values()].flatMap((code) => [...code.matchAll(/from "([^"]+)"/g)]);
    const ambient = imported
      .filter(([, name]) => !LOOKED_AT.test(name!))
      .map(([, name]) => `declare module "${name}";`);
    files.set(
      join(ROOT, "test/example-ambient.d.ts"),
      `${ambient.join("\n")}\ndeclare const require: any, test: any, expect: any; declare const process: { env: Record<string, string> }; interface Window { analytics?: any }\ndeclare namespace JSX { interface IntrinsicElements { [name: string]: unknown } }\ndeclare namespace React { type ReactNode = unknown }`,
    );
    const objections = objectionsTo(files, false)
      .filter(({ message }) => !/^Cannot find module '\./.test(message))
      .map(({ file, message }) => `${where(modules[names.indexOf(file)] ?? { page: file, section: "" })}: ${message}`);
    expect(objections).toEqual([]);
  });

  it("of declared events let through what they allow, and nothing else", async () => {
    const [example] = await readmeBlocks("In an app", "ts");
    const hub = "(window as unknown as { tracklet: Hub }).tracklet";
    const right = ['track("signup", { plan: "team", seats: 3 });', 'track("logout");', `${hub}.track("logout");`];
    const wrong = ['track("sign_up", { plan: "team" });', 'track("signup");', `${hub}.track("sign_up");`];
    const lines = ['import { type Hub, track } from "tracklet";', example, ...right, ...wrong];
    const objections = objectionsTo(new Map([[join(ROOT, "test/app.ts"), lines.join("\n")]]), true);
    expect(objections.map(({ line }) => line)).toEqual(wrong);
  });

  it("of frameworks are files of the apps that are driven, or said to be untested", async () => {
    for (const page of PAGES) {
      const text = await readPage(page);
      const files = new Map<string, string>();
      for (const [, , file] of text.matchAll(INCLUDED)) files.set(file!, await readPage(file!));
      // `npm run docs` writes the pages anew.
      const renewed = text.replace(INCLUDED, (_, before: string, file: string) => before + files.get(file));
      await expect(renewed).toMatchFileSnapshot(join(ROOT, page));
    }
    const page = await readPage("docs/frameworks.md");
    const tested = page.split(/^## /m).filter((text) => !text.includes("\nNot tested."));
    const examples = tested.flatMap((text) => text.match(/^```[jt]sx?$/gm) ?? []);
    const included = page.match(INCLUDED)!;
    expect(included.length).toBeGreaterThan(4);
    expect(examples.length).toBe(included.length);
  });

  it("of HTML are in sections that an end-to-end test runs in a browser", async () => {
    const folder = join(ROOT, "e2e");
    // The apps have thousands of files, and no test.
    const folders = (await readdir(folder, { withFileTypes: true })).filter(
      (entry) => entry.isDirectory() && entry.name !== "apps",
    );
    const specs = folders.map(async ({ name }) =>
      (await readdir(join(folder, name))).filter((file) => file.endsWith(".spec.ts")).map((file) => join(name, file)),
    );
    const texts = await Promise.all(
      (await Promise.all(specs)).flat().map((file) => readFile(join(folder, file), "utf8")),
    );
    const untested = blocks
      .filter(({ language }) => language === "html")
      .filter(({ section }) => !texts.some((text) => text.includes(`"${section}"`) && text.includes("readmeBlocks")));
    expect(untested.map(where)).toEqual([]);
  });

  it("of the service's commands have the options that there are", async () => {
    const lines = blocks
      .filter(({ language }) => language === "sh")
      .flatMap(({ code }) => code.match(/\btracklet-service .*?(?=$|\s+[#|>])/gm) ?? []);
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const words = line.match(/"[^"]*"|\S+/g)!.slice(1);
      let told = "";
      const out = { write: (text: string) => (told += text) } as unknown as Writable;
      const names = words.filter((word) => /^[a-z][\w-]*$/.test(word)).slice(0, 2);
      await runCommand([...names, "--help"], readConfig({}), { stdout: out, stderr: out });
      expect(told, line).toContain(`Usage: tracklet-service ${names[0]}`);
      const options = words.filter((word) => word.startsWith("--"));
      expect(
        options.filter((option) => !told.includes(option)),
        line,
      ).toEqual([]);
    }
  });

  it("of the shell, and the steps of a release, call scripts that there are", async () => {
    const { scripts } = JSON.parse(await readPage("package.json")) as { scripts: Record<string, string> };
    const texts = await Promise.all([...PAGES, ".github/workflows/release.yml"].map(readPage));
    const called = texts
      .flatMap((text) => [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)])
      .map(([, name]) => name!);
    expect(called.length).toBeGreaterThan(5);
    expect(called.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it("the page on debugging explains every mistake that the script can tell, and no other", async () => {
  const folder = join(ROOT, "src/browser");
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const source = (await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))).join("\n");
  const told = [...source.matchAll(/(?:report\("input", |readUid\()(["`])(.*?)\1[,)]/g)].map(([, , text]) => text!);
  expect(told.length).toBeGreaterThan(8);
  /** As a pattern: `${…}` of the source and words in capitals of the page stand for anything. */
  const pattern = (text: string): RegExp =>
    new RegExp(`^${text.replace(/[.:]/g, "\\$&").replace(/\$\{.*?\}(?!`)|\b[A-Z]{4,}\b/g, ".+")}$`);
  const page = (await readPage("docs/debugging.md")).split("## Console")[1]!.split("\n## ")[0]!;
  const rows = [...page.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
  );
  expect(told.filter((text) => !rows.some((row) => pattern(text).test(row)))).toEqual([]);
  // Those that only pass an error on would explain any row.
  const worded = told.filter((text) => /[a-z]/.test(text.replace(/\$\{.*?\}/g, "")));
  const explained = rows.filter((row) => !row.endsWith(": ERROR"));
  expect(explained.filter((row) => !worded.some((text) => pattern(text).test(row)))).toEqual([]);
});

describe("figures", () => {
  it("the page of the options has every option of the configuration, and no other", async () => {
    const source = await readPage("src/types.ts");
    const config = /export interface Config<Declared = Events> \{(.*?)^\}/ms.exec(source)![1]!;
    const options = [...config.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name!);
    const told = [...(await readPage("docs/options.md")).matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name!);
    expect(told.sort()).toEqual(options.sort());
  });

  it("the bounds are those of the delivery", async () => {
    const page = await readPage("docs/options.md");
    const bounds = (await readPage("src/browser/delivery/queue.ts")).replace(/(?<=\d)_/g, "");
    for (const [option, name] of [
      ["maxEvents", "MAX_EVENTS"],
      ["maxBytes", "MAX_BYTES"],
      ["maxAgeMs", "MAX_AGE_MS"],
    ]) {
      const figure = new RegExp(`^\\| \`${option}\` +\\| \`(\\d+)\``, "m").exec(page)![1]!;
      expect(bounds, option).toContain(`${name} = ${figure};`);
    }
  });

  it("the URLs before and after redaction are what it makes of them", async () => {
    const section = (await readPage("docs/privacy.md")).split("\n## Secrets in URLs\n")[1]!.split("\n## ")[0]!;
    const rows = [...section.matchAll(/^\| `([^`]+)` .*\| `([^`]+)` +\|$/gm)];
    const paths = /data-paths="([^"]+)"/.exec(section)![1] as `/${string}`;
    const href = (url: string) => new URL(url, "https://shop.example").href;
    expect(rows.map(([, before]) => redact(href(before!), { paths }))).toEqual(rows.map(([, , after]) => href(after!)));
    expect(rows.length).toBe(11);
  });

  it("the stub's bytes, and that it has each verb: it hands on all that one is called with, or answers as before init", async () => {
    const stub = (await readmeBlocks("On a website", "html")).find((code) => code.includes(".split"))!;
    const page = { location: { href: "/here" } } as Record<string, unknown> & {
      tracklet?: Record<string, () => unknown>;
    };
    runInNewContext(stub.replace(/<.?script>/g, ""), Object.assign(page, { window: page }));
    const called = ["init", ...Object.keys(verbs)].map((verb) => [
      verb,
      Reflect.apply(page.tracklet![verb]!, undefined, [{ n: 1 }, 2, 3]),
    ]);
    const { flush, consent, identity, ...handedOn } = Object.fromEntries(called);
    expect(JSON.parse(JSON.stringify([await flush, consent, identity, handedOn]))).toEqual([
      { delivered: 0, queued: 0, dropped: 0 },
      "pending",
      [],
      {},
    ]);
    expect(JSON.parse(JSON.stringify(page.tracklet))).toEqual(
      Object.keys(handedOn).map((verb) => [verb, { ...(verb === "pageview" && { visit_url: "/here" }), n: 1 }, 2, 3]),
    );
    const told = /stub \((\d+) bytes\)/.exec(await readPage("docs/install.md"))![1];
    expect(stub.trim().length).toBe(Number(told));
  });
});
