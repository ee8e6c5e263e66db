import { databaseUrl, proxies, webAddress } from "./addresses.js";
import { DEFAULTS } from "./defaults.js";
import { LOG_LEVELS, type LogLevel } from "./logging.js";
import { isLoopback } from "./loopback.js";
import { StartError } from "./start-error.js";
import { API_TOKEN, API_TOKEN_EXPECTED, BEARER_EXPECTED, BEARER_TOKEN, checkTokens } from "./tokens.js";
import { readWorkspaces, type Workspace } from "./workspaces.js";

export { StartError };

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
  /** Token that may record events, or two as `new,old`. `TRACKLET_API_TOKEN`; has a default only where `isPrivate`. */
  apiToken: string;
  /** Bearer token that may read records, or two. `TRACKLET_ACCESS_TOKEN`; has a default only where `isPrivate`. */
  accessToken: string;
  /** Bearer token that may read `/metrics`, or two; none is asked for where `isPrivate`. `TRACKLET_METRICS_TOKEN`, none. */
  metricsToken: string | undefined;
  /** More tokens, each with its own data. `TRACKLET_WORKSPACES`, none. */
  workspaces: readonly Workspace[];
  /** Days after which events are deleted. `TRACKLET_RETENTION_DAYS`, none: they are kept. */
  retentionDays: number | undefined;
  /**
   * Whether a new embedded database gets the demo's records. `TRACKLET_SEED`, `on` where `isPrivate`; else, and with
   * `databaseUrl`, `off`.
   */
  seed: boolean;
  /**
   * Addresses of the proxies in front, whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed: IP addresses,
   * networks (`10.0.0.0/8`), `loopback`, `linklocal`, `uniquelocal`. `TRACKLET_TRUST_PROXY`, separated by commas; none.
   */
  trustProxy: string[];
  /** The address that clients use, where it is not the one listened at. `TRACKLET_PUBLIC_URL`, none. */
  publicUrl: string | undefined;
  /** Largest body of an event, in bytes. `TRACKLET_MAX_EVENT_BYTES`, 256 KiB. */
  maxEventBytes: number;
  /** Requests a minute that one client address may make; 0 is no limit. `TRACKLET_RATE_LIMIT`. */
  rateLimit: number;
  /** Megabytes of events a day that one client address may store; 0 is no limit. `TRACKLET_ADDRESS_QUOTA_MB`. */
  addressQuota: number;
  /** Megabytes of events a day that the tokens of one workspace may store; 0 is no limit. `TRACKLET_TOKEN_QUOTA_MB`. */
  tokenQuota: number;
  /** What is logged: lines of this level and above. `TRACKLET_LOG_LEVEL`, `info`. */
  logLevel: LogLevel;
}

/** High enough for any honest client on one machine (10,000 a second), low enough to stop an endless loop of requests. */
const DEFAULT_RATE_LIMIT = 600_000;

/**
 * Half a million events of an office or a server behind one address; forty million of one token. The token stands in
 * pages: without a limit, whoever reads it there can fill the disk in minutes.
 */
const [DEFAULT_ADDRESS_QUOTA, DEFAULT_TOKEN_QUOTA] = [256, 20_480];

/**
 * Can nobody but this machine reach the service? Only there it shows its live page, takes the default tokens, and
 * fills its database with the demo's records.
 */
export const isPrivate = ({
  host,
  trustProxy,
  publicUrl,
}: Pick<ServiceConfig, "host" | "trustProxy" | "publicUrl">): boolean =>
  isLoopback(host) && trustProxy.length === 0 && publicUrl === undefined;

/** Variables of the project that other programs read: the demo, its clients, Docker, the tests. */
const ELSEWHERE = /^TRACKLET_(SITE_PORT|DIST|BASE_URL|TRACK_URL|URL|DOMAIN|ALL|ENGINES|MEASURE|APP_OUT)$/;

/**
 * Reads the configuration from environment variables.
 *
 * @throws StartError that names the variable whose value is wrong
 */
export const readConfig = (given: Record<string, string | undefined>): ServiceConfig => {
  const known = new Set<string>();
  // What is read is known, so that a name which is left over is a typing error.
  const environment = new Proxy(given, {
    get: (all, name: string) => {
      known.add(name);
      return all[name];
    },
  });
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
  const matching = (name: string, byDefault: string, pattern: RegExp, expected: string): string => {
    const value = text(name, byDefault);
    if (!pattern.test(value)) throw new StartError(`${name} must be ${expected}`);
    return value;
  };
  const oneOf = <const Value extends string>(name: string, byDefault: Value, values: readonly Value[]): Value => {
    const value = text(name, byDefault) as Value;
    if (!values.includes(value)) throw new StartError(`${name} must be ${values.join(" or ")}, but is "${value}"`);
    return value;
  };

  const host = matching("TRACKLET_SERVICE_HOST", DEFAULTS.host, HOST, "a host name or an IP address");
  const trustProxy = proxies(environment.TRACKLET_TRUST_PROXY);
  const publicUrl = webAddress("TRACKLET_PUBLIC_URL", environment.TRACKLET_PUBLIC_URL);
  if (trustProxy.length > 0 && publicUrl === undefined)
    throw new StartError("TRACKLET_PUBLIC_URL must be set with TRACKLET_TRUST_PROXY: clients use the proxy's address");
  const privately = isPrivate({ host, trustProxy, publicUrl });
  const tokens = {
    apiToken: matching("TRACKLET_API_TOKEN", DEFAULTS.apiToken, API_TOKEN, API_TOKEN_EXPECTED),
    accessToken: matching("TRACKLET_ACCESS_TOKEN", DEFAULTS.accessToken, BEARER_TOKEN, BEARER_EXPECTED),
    metricsToken:
      environment.TRACKLET_METRICS_TOKEN === undefined
        ? undefined
        : matching("TRACKLET_METRICS_TOKEN", "", BEARER_TOKEN, BEARER_EXPECTED),
    workspaces: workspaces(environment.TRACKLET_WORKSPACES),
  };
  const database = databaseUrl(environment.DATABASE_URL);
  const seeds = privately && database === undefined;
  if (database !== undefined && environment.TRACKLET_SEED === "on")
    throw new StartError(
      "TRACKLET_SEED must be off with DATABASE_URL: the demo's records are for the embedded database",
    );
  const config = {
    port: integer("TRACKLET_SERVICE_PORT", DEFAULTS.port, 0, 65_535),
    host,
    dataFolder: text("TRACKLET_DATA", DEFAULTS.dataFolder),
    databaseUrl: database,
    ...tokens,
    retentionDays:
      environment.TRACKLET_RETENTION_DAYS === undefined ? undefined : integer("TRACKLET_RETENTION_DAYS", 0, 1, 36_500),
    seed: oneOf("TRACKLET_SEED", seeds ? "on" : "off", ["on", "off"]) === "on",
    trustProxy,
    publicUrl,
    maxEventBytes: integer("TRACKLET_MAX_EVENT_BYTES", 262_144, 1, 67_108_864),
    rateLimit: integer("TRACKLET_RATE_LIMIT", DEFAULT_RATE_LIMIT, 0, 1_000_000_000),
    addressQuota: integer("TRACKLET_ADDRESS_QUOTA_MB", privately ? 0 : DEFAULT_ADDRESS_QUOTA, 0, 1_000_000_000),
    tokenQuota: integer("TRACKLET_TOKEN_QUOTA_MB", privately ? 0 : DEFAULT_TOKEN_QUOTA, 0, 1_000_000_000),
    logLevel: oneOf("TRACKLET_LOG_LEVEL", "info", LOG_LEVELS),
  };
  for (const name of Object.keys(given))
    if (name.startsWith("TRACKLET_") && !known.has(name) && !ELSEWHERE.test(name))
      throw new StartError(
        `${name} must not be set: the service knows ${[...known].filter((one) => one.startsWith("TRACKLET_")).join(", ")}`,
      );
  if (!privately && (config.apiToken === DEFAULTS.apiToken || config.accessToken === DEFAULTS.accessToken))
    throw new StartError(
      "TRACKLET_API_TOKEN and TRACKLET_ACCESS_TOKEN must be set to secrets of your own where other machines can reach the service",
    );
  checkTokens(config, privately);
  return config;
};

/** What a URL can hold as its host: a name, an IPv4 address, or an IPv6 address without its brackets. */
const HOST = /^[A-Za-z0-9._:%-]+$/;
const workspaces = (value: string | undefined): Workspace[] => {
  try {
    return value === undefined ? [] : readWorkspaces(value);
  } catch (error) {
    throw new StartError(`TRACKLET_WORKSPACES ${(error as Error).message}`);
  }
};
