import type { LogLevel } from "./logging.js";
import { isLoopback } from "./loopback.js";
import type { Workspace } from "./workspaces.js";

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
