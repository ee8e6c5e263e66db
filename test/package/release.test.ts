/** The release workflow: what can be checked without the machines that run it. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../support/launch.js";

interface Step {
  name?: string;
  uses?: string;
  run?: string;
}

let steps: Step[];
let folder: string;
beforeAll(async () => {
  const workflow = parse(await readFile(join(ROOT, ".github/workflows/release.yml"), "utf8"));
  steps = workflow.jobs.release.steps;
  folder = await mkdtemp(join(tmpdir(), "tracklet-release-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("runs no action that could change under its name", () => {
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.length).toBeGreaterThan(2);
  expect(actions.filter((action) => !/@[\da-f]{40}$/.test(action))).toEqual([]);
});

it("names no host of a registry, so that the client's own default serves", async () => {
  const texts = ["package.json", ".github/workflows/release.yml"].map((path) => readFile(join(ROOT, path), "utf8"));
  const hosts = (await Promise.all(texts)).join("\n").match(/\b(registry|npm)\.[\w-]+\.\w+|registry-url/g);
  expect(hosts).toBeNull();
  // The token must be filed for the default, or nothing is published.
  const home = await mkdtemp(join(tmpdir(), "tracklet-home-"));
  const { run } = steps.find(({ name }) => name === "Publish to npm")!;
  const env = { ...process.env, HOME: home, NPM_TOKEN: "secret", npm_config_userconfig: join(home, ".npmrc") };
  await promisify(execFile)("bash", ["-c", run!.replace("npm publish", "true")], { cwd: home, env });
  expect(await readFile(join(home, ".npmrc"), "utf8")).toMatch(/^\/\/.+\/:_authToken=secret$/m);
  await rm(home, { recursive: true });
});

it("names the files by their version, and tells the hash of each", async () => {
  for (const path of ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "dist"])
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  await promisify(execFile)("bash", ["-c", steps.find(({ name }) => name === "Name the files")!.run!], { cwd: folder });
  const names = ["iife", "inspector", "clicks.iife", "active.iife"].flatMap((script) =>
    ["js", "js.map"].map((end) => `tracklet-${version}.${script}.${end}`),
  );
  const files = [...names, `tracklet-${version}.tgz`];
  expect((await readdir(join(folder, "release"))).sort()).toEqual(["SHA384SUMS", ...files].sort());
  const told = (await readFile(join(folder, "release/SHA384SUMS"), "utf8")).trim().split("\n");
  const real = files.map(async (file) => {
    const hash = createHash("sha384").update(await readFile(join(folder, "release", file)));
    return `sha384-${hash.digest("base64")}  ${file}`;
  });
  expect(told.sort()).toEqual((await Promise.all(real)).sort());
});
