import { isIP } from "node:net";
import { DEFAULTS } from "./defaults.js";
import { LOG_LEVELS, type LogLevel } from "./logging.js";
import { isLoopback } from "./loopback.js";
import { readWorkspaces, type Workspace } from "./workspaces.js";

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
  /** Token that may record events. `TRACKLET_API_TOKEN`; has a default only where `isPrivate`. */
  apiToken: string;
  /** Bearer token that may read records. `TRACKLET_ACCESS_TOKEN`; has a default only where `isPrivate`. */
  accessToken: string;
  /** Bearer token that may read `/metrics`, which asks for none where `isPrivate`. `TRACKLET_METRICS_TOKEN`, none. */
  metricsToken: string | undefined;
  /** More tokens, each with its own data. `TRACKLET_WORKSPACES`, none. */
  workspaces: readonly Workspace[];
  /** Days after which events are deleted. `TRACKLET_RETENTION_DAYS`, none: they are kept. */
  retentionDays: number | undefined;
  /** Whether a new database gets the demo's records. `TRACKLET_SEED`, `on` where `isPrivate`, else `off`. */
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
  /** What is logged: lines of this level and above. `TRACKLET_LOG_LEVEL`, `info`. */
  logLevel: LogLevel;
}

/** A message about the configuration or the data, made for the person who started the process. */
export class StartError extends Error {
  override name = "StartError";
}

/** High enough for any honest client on one machine (10,000 a second), low enough to stop an endless loop of requests. */
const DEFAULT_RATE_LIMIT = 600_000;

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
    apiToken: matching("TRACKLET_API_TOKEN", DEFAULTS.apiToken, BASIC_USER, "text without a colon or a line end"),
    accessToken: matching("TRACKLET_ACCESS_TOKEN", DEFAULTS.accessToken, BEARER_TOKEN, BEARER_EXPECTED),
    metricsToken:
      environment.TRACKLET_METRICS_TOKEN === undefined
        ? undefined
        : matching("TRACKLET_METRICS_TOKEN", "", BEARER_TOKEN, BEARER_EXPECTED),
  };
  const config = {
    port: integer("TRACKLET_SERVICE_PORT", DEFAULTS.port, 0, 65_535),
    host,
    dataFolder: text("TRACKLET_DATA", DEFAULTS.dataFolder),
    databaseUrl: databaseUrl(environment.DATABASE_URL),
    ...tokens,
    workspaces: workspaces(environment.TRACKLET_WORKSPACES, tokens),
    retentionDays:
      environment.TRACKLET_RETENTION_DAYS === undefined ? undefined : integer("TRACKLET_RETENTION_DAYS", 0, 1, 36_500),
    seed: oneOf("TRACKLET_SEED", privately ? "on" : "off", ["on", "off"]) === "on",
    trustProxy,
    publicUrl,
    maxEventBytes: integer("TRACKLET_MAX_EVENT_BYTES", 262_144, 1, 67_108_864),
    rateLimit: integer("TRACKLET_RATE_LIMIT", DEFAULT_RATE_LIMIT, 0, 1_000_000_000),
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
  return config;
};

/** What a URL can hold as its host: a name, an IPv4 address, or an IPv6 address without its brackets. */
const HOST = /^[A-Za-z0-9._:%-]+$/;
/** A user name of HTTP Basic has neither a colon nor control characters (RFC 7617 §2). */
const BASIC_USER = /^[^:\p{Cc}]+$/u;
/** RFC 6750 §2.1. */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const BEARER_EXPECTED = "made of letters, digits and - . _ ~ + / =";

const proxies = (value: string | undefined): string[] => {
  if (value === undefined) return [];
  const list = value.split(",").map((one) => one.trim());
  for (const one of list) {
    const [address = "", bits, ...rest] = one.split("/");
    const isAddress = isIP(address) !== 0 && rest.length === 0 && (bits === undefined || isPrefix(bits, isIP(address)));
    if (!isAddress && !/^(loopback|linklocal|uniquelocal)$/.test(one))
      throw new StartError(
        `TRACKLET_TRUST_PROXY must be IP addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas, but has "${one}"`,
      );
  }
  return list;
};

const isPrefix = (bits: string, family: number): boolean =>
  /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);

const webAddress = (name: string, value: string | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.origin + url.pathname !== url.href)
    throw new StartError(`${name} must be an address such as https://track.example.com, but is "${value}"`);
  return url.href.replace(/\/$/, "");
};

const workspaces = (value: string | undefined, taken: Omit<Workspace, "name">): Workspace[] => {
  try {
    return value === undefined ? [] : readWorkspaces(value, taken);
  } catch (error) {
    throw new StartError(`TRACKLET_WORKSPACES ${(error as Error).message}`);
  }
};

const databaseUrl = (value: string | undefined): string | undefined => {
  if (value === undefined) return undefined;
  // The value itself is not repeated: it may hold a password.
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol))
    throw new StartError("DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database");
  return value;
};
