import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { StartError } from "../../src/service/base/start-error.js";
import { DEMO_TOKENS } from "../../src/service/config/defaults.mjs";
import { readConfig } from "../../src/service/config/options.js";

const DEFAULTS = { ...readConfig({ TRACKLET_DEMO: "on" }), ...DEMO_TOKENS };
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The service, built to JavaScript. */
export const SERVICE = join(ROOT, "build/service/main.js");

export interface Ports {
  sitePort: number;
  servicePort: number;
}

/** What the environment says; everything has a default. */
export const readSettings = (ports: Ports) => ({
  ...ports,
  /** A PostgreSQL server, which then has the data in place of the folder; empty where there is none. */
  databaseUrl: process.env.DATABASE_URL ?? "",
  data: resolve(ROOT, process.env.TRACKLET_DATA || DEFAULTS.dataFolder),
  dist: resolve(ROOT, process.env.TRACKLET_DIST || "dist"),
  apiToken: process.env.TRACKLET_API_TOKEN || DEFAULTS.apiToken,
  accessToken: process.env.TRACKLET_ACCESS_TOKEN || DEFAULTS.accessToken,
  adminToken: process.env.TRACKLET_ADMIN_TOKEN || DEFAULTS.adminToken,
});
export type Settings = ReturnType<typeof readSettings>;

/** A path as a person would write it here. */
export const short = (path: string): string => {
  const inside = relative(ROOT, path);
  return inside.startsWith("..") ? path : inside;
};

/** Where the data is: the server's address without user, password and options, or the folder. */
export const placeOfData = ({ databaseUrl, data }: Pick<Settings, "databaseUrl" | "data">): string =>
  databaseUrl.replace(/\/\/[^/]*@/, "//").replace(/\?.*/, "") || short(data);

/** @throws StartError when the snippet or the service was never built */
export const checkBuild = ({ dist }: Settings): void => {
  const needed = [...["tracklet.iife.js", "index.js"].map((file) => join(dist, file)), SERVICE];
  const missing = needed.find((file) => !existsSync(file));
  if (missing) throw new StartError(`The demo is not built, ${short(missing)} is missing: run npm run build first.`);
};

type Variable = [name: string, value: string, fallback: string];

/** A command as it is typed, with whatever differs from the defaults in front. */
const command = (script: string, given: Variable[]): string => {
  const env = given.filter(([, value, fallback]) => value !== fallback).map(([name, value]) => `${name}=${value}`);
  return [...env, `npm run ${script}`].join(" ");
};

const service = ({ apiToken, accessToken }: Settings, address: string): Variable[] => [
  ["TRACKLET_SERVICE_PORT", new URL(address).port, `${DEFAULTS.port}`],
  ["TRACKLET_API_TOKEN", apiToken, DEFAULTS.apiToken],
  ["TRACKLET_ACCESS_TOKEN", accessToken, DEFAULTS.accessToken],
];

/** The command that starts the service alone. */
export const restartCommand = (settings: Settings, address: string): string =>
  command("service", [
    ["TRACKLET_DEMO", "on", ""],
    ...service(settings, address),
    settings.databaseUrl
      ? // By its name: it may hold a password.
        ["DATABASE_URL", '"$DATABASE_URL"', ""]
      : ["TRACKLET_DATA", short(settings.data), short(DEFAULTS.dataFolder)],
  ]);

/** The command that reads records from the service. */
export const readCommand = (settings: Settings, address: string): string =>
  command("demo:read", service(settings, address));
