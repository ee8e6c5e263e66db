/** Vitest calls this once before the tests: bundles what the pages of the simulation evaluate. */
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";
import type { TestProject } from "vitest/node";

const ENTRIES = ["src/browser/hub.ts", "src/browser/shared-visitor.ts", "src/index.ts"] as const;

/** Where a module is found, from the project's root. */
export type Entry = (typeof ENTRIES)[number];

declare module "vitest" {
  interface ProvidedContext {
    bundles: Record<Entry, string>;
  }
}

const bundle = async (entry: Entry): Promise<[Entry, string]> => {
  const [{ output }] = (await build({
    configFile: false,
    logLevel: "warn",
    root: fileURLToPath(new URL("../..", import.meta.url)),
    build: { write: false, minify: false, target: "es2022", lib: { entry, formats: ["iife"], name: "exported" } },
  })) as [Rolldown.RolldownOutput];
  return [entry, output[0].code];
};

export const setup = async (project: TestProject): Promise<void> => {
  const bundles = Object.fromEntries(await Promise.all(ENTRIES.map(bundle)));
  project.provide("bundles", bundles as Record<Entry, string>);
};
