import { DEFAULTS } from "./defaults.js";

/** What a service process is told from outside. Every member has a default that suits the demo. */
export interface ServiceConfig {
  /** TCP port; 0 takes any free one. `TRACKLET_SERVICE_PORT`, 4100. */
  port: number;
  /** Address to listen at. `TRACKLET_SERVICE_HOST`, 127.0.0.1. */
  host: string;
  /** Folder of the embedded database, unused with `databaseUrl`. `TRACKLET_DATA`, `demo/.data`. */
  dataFolder: string;
  /** Connection URL of a PostgreSQL server, or of one that speaks its protocol. `DATABASE_URL`, none. */
  databaseUrl: string | undefined;
  /** Token that may record events. `TRACKLET_API_TOKEN`. */
  apiToken: string;
  /** Bearer token that may read records. `TRACKLET_ACCESS_TOKEN`. */
  accessToken: string;
  /** Largest body of an event, in bytes. `TRACKLET_MAX_EVENT_BYTES`, 256 KiB. */
  maxEventBytes: number;
  /** Requests a minute that one client address may make; 0 is no limit. `TRACKLET_RATE_LIMIT`. */
  rateLimit: number;
}

/** A message about the configuration or the data, made for the person who started the process. */
export class StartError extends Error {
  override name = "StartError";
}

/** High enough for any honest client on one machine (10,000 a second), low enough to stop an endless loop of requests. */
const DEFAULT_RATE_LIMIT = 600_000;

/**
 * Reads the configuration from environment variables.
 *
 * @throws StartError that names the variable whose value is wrong
 */
export const readConfig = (environment: Record<string, string | undefined>): ServiceConfig => {
  const text = (name: string, byDefault: string): string => {
    const value = environment[name] ?? byDefault;
    if (value === "") throw new StartError(`${name} must not be empty`);
    return value;
  };
  const integer = (name: string, byDefault: number, from: number, to: number): number => {
    const value = text(name, String(byDefault));
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < from || number > to)
      throw new StartError(`${name} must be an integer from ${from} to ${to}, but is "${value}"`);
    return number;
  };
  return {
    port: integer("TRACKLET_SERVICE_PORT", DEFAULTS.port, 0, 65_535),
    host: text("TRACKLET_SERVICE_HOST", DEFAULTS.host),
    dataFolder: text("TRACKLET_DATA", DEFAULTS.dataFolder),
    databaseUrl: databaseUrl(environment.DATABASE_URL),
    apiToken: text("TRACKLET_API_TOKEN", DEFAULTS.apiToken),
    accessToken: text("TRACKLET_ACCESS_TOKEN", DEFAULTS.accessToken),
    maxEventBytes: integer("TRACKLET_MAX_EVENT_BYTES", 262_144, 1, 67_108_864),
    rateLimit: integer("TRACKLET_RATE_LIMIT", DEFAULT_RATE_LIMIT, 0, 1_000_000_000),
  };
};

const databaseUrl = (value: string | undefined): string | undefined => {
  if (value === undefined || value === "") return undefined;
  // The value itself is not repeated: it may hold a password.
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol))
    throw new StartError("DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database");
  return value;
};
