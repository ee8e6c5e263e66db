/** What a release hands out: the workflow's own steps, as far as no machine of its own is needed, and the tarball that they pack. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../support/launch.js";

const run = promisify(execFile);
const { files, version, exports, repository } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
interface Step {
  name?: string;
  uses?: string;
  run?: string;
}
const WORKFLOWS = join(ROOT, ".github/workflows");
const jobsOf = async (file: string): Promise<Record<string, { steps: Step[] }>> =>
  parse(await readFile(join(WORKFLOWS, file), "utf8")).jobs;
const { steps } = (await jobsOf("release.yml")).release!;
const stepOf = (name: string): string => steps.find((step) => step.name === name)!.run!;

const SCRIPTS = ["iife", "inspector", "clicks.iife", "active.iife"];
const REQUIRED = [".", "./test", "./read", "./send", "./clicks", "./active", "./instance"];
const ENTRIES = Object.keys(exports).filter((entry) => !/\.\w+$/.test(entry));

/** A home, and a copy of what is published, in which `release` comes to be. */
let folder: string;
let tarball: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tracklet-release-"));
  for (const path of ["package.json", "docs/package.md", "LICENSE", ...files])
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await run("bash", ["-c", stepOf("Name the files")], { cwd: folder });
  tarball = new Uint8Array(await readFile(join(folder, `release/tracklet-${version}.tgz`)));
});
afterAll(() => rm(folder, { recursive: true }));

describe("the workflow", () => {
  it("runs no action that could change under its name, nor does another one", async () => {
    const jobs = await Promise.all((await readdir(WORKFLOWS)).map(jobsOf));
    const actions = jobs.flatMap(Object.values).flatMap(({ steps }) => steps.flatMap(({ uses }: Step) => uses ?? []));
    expect(actions.length).toBeGreaterThan(6);
    expect(actions.filter((action) => !/@[\da-f]{40}$/.test(action))).toEqual([]);
  });

  it("names no host of a registry, so that the client's own default serves", async () => {
    const texts = ["package.json", ".github/workflows/release.yml"].map((path) => readFile(join(ROOT, path), "utf8"));
    const hosts = (await Promise.all(texts)).join("\n").match(/\b(registry|npm)\.[\w-]+\.\w+|registry-url/g);
    expect(hosts).toBeNull();
  });

  it("names the files by their version, and tells the hash of each", async () => {
    const scripts = SCRIPTS.flatMap((name) => ["js", "js.map"].map((end) => `tracklet-${version}.${name}.${end}`));
    const made = [...scripts, `tracklet-${version}.tgz`];
    expect((await readdir(join(folder, "release"))).sort()).toEqual(["SHA384SUMS", ...made].sort());
    const told = (await readFile(join(folder, "release/SHA384SUMS"), "utf8")).trim().split("\n");
    const real = made.map(async (file) => {
      const hash = createHash("sha384").update(await readFile(join(folder, "release", file)));
      return `sha384-${hash.digest("base64")}  ${file}`;
    });
    expect(told.sort()).toEqual((await Promise.all(real)).sort());
  });
});

it("makes the tables of each release that came before as that did", async () => {
  const released: Record<string, string> = JSON.parse(await readFile(join(ROOT, "test/upgrade/released.json"), "utf8"));
  for (const [file, hash] of Object.entries(released)) {
    const text = await readFile(join(ROOT, "src/service/database/migrations", file));
    expect(createHash("sha256").update(text).digest("hex"), file).toBe(hash);
  }
});

describe("the tarball", () => {
  let packed: string[];
  let textOf: (file: string) => string;
  beforeAll(() => {
    const content = createPackageFromTarballData(tarball);
    packed = content.listFiles().map((file) => file.replace("/node_modules/tracklet/", ""));
    textOf = (file) => content.readFile(`/node_modules/tracklet/${file}`);
  });

  it("has nothing that publint objects to, suggestions included", async () => {
    const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it("has types that resolve to what runs, in every ES module resolution", async () => {
    const result = await checkPackage(createPackageFromTarballData(tarball), { entrypoints: ENTRIES });
    if (!result.types) expect.fail("the tarball has no types");
    expect(Object.keys(result.entrypoints).join()).toBe(".,./read,./send,./test,./clicks,./active,./instance,./window");
    // What an app's tests load is CommonJS as well, and nothing else. `exports` is unknown to the resolution of Node 10, which
    // finds `main` and `types`; what is for servers alone has its types there, and no second file that runs.
    const problems = result.problems.filter(
      (problem) =>
        !("resolutionKind" in problem) ||
        !(
          (problem.resolutionKind === "node16-cjs" && !REQUIRED.includes(problem.entrypoint)) ||
          (problem.resolutionKind === "node10" && problem.entrypoint !== ".")
        ),
    );
    expect(problems).toEqual([]);
    for (const entry of ENTRIES)
      expect(result.entrypoints[entry]!.resolutions.node10.resolution?.fileName, entry).toMatch(/\.d\.ts$/);
  });

  it("holds what is built from the sources of today, and in the maps these sources", () => {
    // What two entries share for `require` is named by the bundler.
    const modules = packed.filter((file) => /^dist\/(?!tracklet\.|chunks\/)/.test(file));
    expect(modules.length).toBeGreaterThan(50);
    for (const file of modules) {
      const source = file
        .replace("dist/", "src/")
        .replace("src/test.", "src/recorder.")
        .replace("src/conform.", "src/conform/main.")
        .replace(/((\.d)?\.c?ts|\.c?js)(\.map)?$/, ".ts");
      expect(existsSync(join(ROOT, source)), `${file} has no source: build again`).toBe(true);
    }
    for (const file of packed.filter((file) => file.endsWith(".map"))) {
      const { sources, sourcesContent } = JSON.parse(textOf(file)) as Record<string, (string | null)[]>;
      expect(sourcesContent?.filter(Boolean).length, file).toBe(sources!.length);
    }
    const others = packed.filter((file) => !/^(dist|demo\/(recipes|tag-manager))\//.test(file));
    expect(others.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json"]);
  });

  it("has a README of its own, and no link that leads out of it, but to the repository", () => {
    expect(textOf("README.md")).toMatch(/^# tracklet\n\n```sh\nnpm install tracklet\n```\n/);
    const outside = repository.url.replace(/^git\+(.*)\.git$/, "$1/");
    const linksOf = (file: string) => Array.from(textOf(file).matchAll(/\]\(([^)\s#]+)/g), ([, link]) => link!);
    // That the repository has the file, and the file the heading: docs.test.
    expect(linksOf("README.md").filter((link) => !link.startsWith(outside))).toEqual([]);
    for (const file of packed.filter((file) => file.endsWith(".md")))
      for (const link of linksOf(file).filter((link) => !/^https?:/.test(link)))
        expect(packed, `${file}: ${link}`).toContain(join(dirname(file), link));
  });

  describe("in Node", () => {
    /** What a program says that stands in the unpacked package, where Node finds it by its own name. */
    const node = async (...args: string[]): Promise<unknown> => {
      const { stdout, stderr } = await run(process.execPath, args, {
        cwd: join(folder, "package"),
        env: { ...process.env, NODE_OPTIONS: "" },
        // Only ends what would hang for ever; a timer or socket left behind keeps Node running.
        timeout: 30_000,
      });
      expect(stderr).toBe("");
      return JSON.parse(stdout);
    };
    beforeAll(() => run("tar", ["-xzf", `release/tracklet-${version}.tgz`], { cwd: folder }));

    it("does nothing when an entry of it is imported, where there is no window", async () => {
      const code = `
        const touched = [];
        for (const name of ["fetch", "crypto", "setTimeout", "setInterval", "queueMicrotask"]) {
          const { value = globalThis[name] } = Object.getOwnPropertyDescriptor(globalThis, name);
          Object.defineProperty(globalThis, name, { configurable: true, get: () => (touched.push(name), value) });
        }
        const before = Reflect.ownKeys(globalThis);
        const empty = [];
        for (const entry of ${JSON.stringify(ENTRIES)})
          if (!Object.keys(await import(entry.replace(".", "tracklet"))).length) empty.push(entry);
        const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key));
        console.log(JSON.stringify({ touched, added, empty }));
      `;
      expect(await node("--input-type=module", "--eval", code)).toEqual({
        touched: [],
        added: [],
        empty: ["./window"],
      });
    });

    it("can be required where an app's tests do so, as Jest does, and records", async () => {
      const code = `
        (async () => {
          const { Window } = await import(${JSON.stringify(import.meta.resolve("happy-dom"))});
          globalThis.window = new Window({ url: "https://app.example/" });
          for (const name of Object.getOwnPropertyNames(window)) globalThis[name] ??= window[name];
          const { track } = require("tracklet");
          const events = require("tracklet/test").recordEvents({ contactUid: "ann", pageviews: "off" });
          for (const entry of ["read", "send", "clicks", "active", "instance"]) require("tracklet/" + entry);
          track("signed_up");
          console.log(JSON.stringify(events.all()));
          events.restore();
        })();
      `;
      // Newer ones could require the ES modules, which Jest cannot.
      expect(await node("--no-experimental-require-module", "--eval", code)).toEqual([
        { contact_uid: "ann", event_uid: "signed_up", params: {} },
      ]);
    });
  });
});
