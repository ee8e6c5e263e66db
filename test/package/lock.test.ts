import { readFile } from "node:fs/promises";
import semver from "semver";
import { describe, expect, it } from "vitest";

/*
 * `npm ci` refuses a lock file that lacks a package some other platform would install, and `npm install` writes such a
 * one without a word where the registry at hand does not hold that package. Its entry is then written by hand: version,
 * cpu, os, libc, and `integrity` (`npm view <name>@<version> dist.integrity`), without which any file would be taken for it.
 */

interface Locked {
  version?: string;
  integrity?: string;
  /** Part of another package's file. */
  inBundle?: boolean;
  resolved?: string;
  /** A folder of this repository, found by its path. */
  link?: boolean;
  /** Only the tests and tools of the project's makers need it: `npm start` leaves it out. */
  dev?: boolean;
  optional?: boolean;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

type Packages = Record<string, Locked>;

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), "utf8");
const lockOf = async (file: string): Promise<Packages> => JSON.parse(await read(file)).packages;
const own = await lockOf("package-lock.json");

/** Is the package there that Node would find from this folder? */
const isLocked = (packages: Packages, name: string, from: string): boolean => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    if (packages[`${folder && `${folder}/`}node_modules/${name}`]?.version) return true;
    if (!folder) return false;
  }
};

const OTHERS = ["e2e/apps/package-lock.json"];

describe.each(["package-lock.json", ...OTHERS])("%s", async (file) => {
  const packages = await lockOf(file);
  const all = Object.entries(packages);

  it("locks every package that any platform installs", () => {
    const missing = all.flatMap(([folder, locked]) =>
      Object.entries({ ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies })
        .filter(([name]) => !isLocked(packages, name, folder))
        .map(([name, version]) => `${name}@${version} of ${folder}`),
    );
    expect(missing).toEqual([]);
  });

  it("has the hash of every file", () => {
    const files = all.filter(([folder, { link, inBundle }]) => folder.includes("node_modules/") && !link && !inBundle);
    expect(files.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? "")).map(([folder]) => folder)).toEqual(
      [],
    );
  });

  it("names no registry, so that everybody's own is asked", () =>
    expect(all.filter(([, { resolved, link }]) => resolved && !link)).toEqual([]));
});

it("every package runs on the versions of Node that the README names, so that `npm install` warns of none", async () => {
  const told = /Node ([\d., ]+) or newer/.exec(await read("README.md"))?.[1] ?? "";
  const lowest = told.split(", ").map((text) => semver.coerce(text)!);
  expect(lowest.length).toBeGreaterThan(1);
  const packages = Object.entries(own).filter(([, { optional }]) => !optional);
  const refused = packages.flatMap(([folder, { engines }]) =>
    lowest
      .filter((node) => engines?.node !== undefined && !semver.satisfies(node, engines.node))
      .map((node) => `${folder} wants ${engines?.node}, not ${node}`),
  );
  expect(refused).toEqual([]);
});

it("what `npm start` imports is there without the tests' tools", async () => {
  const sources = ["rollup.config.mjs", "src/service/build.ts", "demo/start/main.ts"].map(read);
  const names = (await Promise.all(sources))
    .flatMap((source) => [...source.matchAll(/^import .* from "((?!node:|\.)[^"]+)"/gm)])
    .map(([, path]) => `node_modules/${/^(?:@[^/]+\/)?[^/]+/.exec(path!)![0]}`);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !own[name] || own[name].dev !== undefined)).toEqual([]);
});
