import { databaseUrl, proxies, webAddress } from "./addresses.js";
import { isPrivate, type ServiceConfig } from "./config.js";
import { DEFAULTS } from "./defaults.js";
import { readEnvironment } from "./environment.js";
import { LOG_LEVELS } from "./logging.js";
import { StartError } from "./start-error.js";
import { API_TOKEN, API_TOKEN_EXPECTED, BEARER_EXPECTED, BEARER_TOKEN, checkTokens } from "./tokens.js";
import { readWorkspaces, type Workspace } from "./workspaces.js";

/** High enough for any honest client on one machine (10,000 a second), low enough to stop an endless loop of requests. */
const DEFAULT_RATE_LIMIT = 600_000;

/**
 * Half a million events of an office or a server behind one address; forty million of one token. The token stands in
 * pages: without a limit, whoever reads it there can fill the disk in minutes.
 */
const [DEFAULT_ADDRESS_QUOTA, DEFAULT_TOKEN_QUOTA] = [256, 20_480];

/** What a URL can hold as its host: a name, an IPv4 address, or an IPv6 address without its brackets. */
const HOST = [/^[A-Za-z0-9._:%-]+$/, "a host name or an IP address"] as const;
const API = [API_TOKEN, API_TOKEN_EXPECTED] as const;
const BEARER = [BEARER_TOKEN, BEARER_EXPECTED] as const;
/** Of what 0 leaves without a limit. */
const LIMIT: [number, number] = [0, 1_000_000_000];

/**
 * Reads the configuration from environment variables.
 *
 * @throws StartError that names the variable whose value is wrong
 */
export const readConfig = (given: Record<string, string | undefined>): ServiceConfig => {
  const { get, text, integer, matching, oneOf, refuseUnknown } = readEnvironment(given);
  const addresses = readAddresses({ get, matching });
  const privately = isPrivate(addresses);
  const database = databaseUrl(get("DATABASE_URL"));
  if (database !== undefined && get("TRACKLET_SEED") === "on")
    throw new StartError(
      "TRACKLET_SEED must be off with DATABASE_URL: the demo's records are for the embedded database",
    );
  /** What has no default is not read without a value. */
  const ifSet = <T>(name: string, read: () => T) => (get(name) === undefined ? undefined : read());
  const config = {
    ...addresses,
    port: integer("TRACKLET_SERVICE_PORT", DEFAULTS.port, [0, 65_535]),
    dataFolder: text("TRACKLET_DATA", DEFAULTS.dataFolder),
    databaseUrl: database,
    apiToken: matching("TRACKLET_API_TOKEN", DEFAULTS.apiToken, API),
    accessToken: matching("TRACKLET_ACCESS_TOKEN", DEFAULTS.accessToken, BEARER),
    metricsToken: ifSet("TRACKLET_METRICS_TOKEN", () => matching("TRACKLET_METRICS_TOKEN", "", BEARER)),
    workspaces: workspaces(get("TRACKLET_WORKSPACES")),
    retentionDays: ifSet("TRACKLET_RETENTION_DAYS", () => integer("TRACKLET_RETENTION_DAYS", 0, [1, 36_500])),
    seed: oneOf("TRACKLET_SEED", privately && database === undefined ? "on" : "off", ["on", "off"]) === "on",
    maxEventBytes: integer("TRACKLET_MAX_EVENT_BYTES", 262_144, [1, 67_108_864]),
    rateLimit: integer("TRACKLET_RATE_LIMIT", DEFAULT_RATE_LIMIT, LIMIT),
    addressQuota: integer("TRACKLET_ADDRESS_QUOTA_MB", privately ? 0 : DEFAULT_ADDRESS_QUOTA, LIMIT),
    tokenQuota: integer("TRACKLET_TOKEN_QUOTA_MB", privately ? 0 : DEFAULT_TOKEN_QUOTA, LIMIT),
    logLevel: oneOf("TRACKLET_LOG_LEVEL", "info", LOG_LEVELS),
  };
  refuseUnknown();
  if (!privately && (config.apiToken === DEFAULTS.apiToken || config.accessToken === DEFAULTS.accessToken))
    throw new StartError(
      "TRACKLET_API_TOKEN and TRACKLET_ACCESS_TOKEN must be set to secrets of your own where other machines can reach the service",
    );
  checkTokens(config, privately);
  return config;
};

type Environment = ReturnType<typeof readEnvironment>;

/** Where the service listens, and by which address and proxies it is reached. */
const readAddresses = ({ get, matching }: Pick<Environment, "get" | "matching">) => {
  const host = matching("TRACKLET_SERVICE_HOST", DEFAULTS.host, HOST);
  const trustProxy = proxies(get("TRACKLET_TRUST_PROXY"));
  const publicUrl = webAddress("TRACKLET_PUBLIC_URL", get("TRACKLET_PUBLIC_URL"));
  if (trustProxy.length > 0 && publicUrl === undefined)
    throw new StartError("TRACKLET_PUBLIC_URL must be set with TRACKLET_TRUST_PROXY: clients use the proxy's address");
  return { host, trustProxy, publicUrl };
};

const workspaces = (value: string | undefined): Workspace[] => {
  try {
    return value === undefined ? [] : readWorkspaces(value);
  } catch (error) {
    throw new StartError(`TRACKLET_WORKSPACES ${(error as Error).message}`);
  }
};
