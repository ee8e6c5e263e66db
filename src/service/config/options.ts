import { fileURLToPath } from "node:url";
import { DEFAULT_PORT } from "./default-port.mjs";
import { option } from "./option.js";
import { ROOT_FOLDER } from "./root-folder.js";
import { TOKEN_OPTIONS } from "./token-options.js";

/** Of what 0 leaves without a limit. */
const LIMIT = { type: "integer", minimum: 0, maximum: 1_000_000_000 } as const;

/**
 * All that a process is told from outside: of each member the environment variable, what the README says of it, and what
 * it may be. `expected` says that in words, `writeOnly` that a value is repeated to nobody.
 */
export const OPTIONS = {
  type: "object",
  properties: {
    port: option("TRACKLET_SERVICE_PORT", "port; 0 takes any free one", {
      ...LIMIT,
      maximum: 65_535,
      default: DEFAULT_PORT,
    }),
    host: option("TRACKLET_SERVICE_HOST", "address to listen at", {
      type: "string",
      // What a URL can hold as its host; of IPv6 without brackets.
      pattern: "^[A-Za-z0-9._:%-]+$",
      expected: "a host name or an IP address",
      default: "127.0.0.1",
    }),
    publicUrl: option("TRACKLET_PUBLIC_URL", "the address that clients use, such as `https://track.example.com`", {
      type: "string",
      format: "web-address",
      expected: "an address such as https://track.example.com",
    }),
    trustProxy: option(
      "TRACKLET_TRUST_PROXY",
      "proxies whose `X-Forwarded-For` is believed: addresses, networks, `loopback`, by commas",
      {
        type: "array",
        items: { type: "string", format: "proxy" },
        expected: "IP addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas",
        default: [],
      },
    ),
    dataFolder: option(
      "TRACKLET_DATA",
      "folder of the service's own PostgreSQL; as root by default `/var/lib/tracklet`",
      {
        type: "string",
        minLength: 1,
        expected: "a folder",
        // PostgreSQL does not run as root, and no other user can enter root's own folders.
        default: process.getuid?.() === 0 ? "/var/lib/tracklet" : fileURLToPath(new URL(".data", ROOT_FOLDER)),
      },
    ),
    databaseUrl: option("DATABASE_URL", "a given PostgreSQL instead, for any number of processes", {
      type: "string",
      format: "database",
      expected:
        "a URL such as postgresql://user:password@host:5432/database, with @ as %40, / as %2F, # as %23, ? as %3F, % as %25 and a blank as %20 in the password, or of several hosts, as in postgresql://user:password@host1:5432,host2:5432/database",
      writeOnly: true,
    }),
    processes: option(
      "TRACKLET_PROCESSES",
      "processes that share the port, `auto` for one on each core; more than one need `DATABASE_URL`",
      {
        type: "string",
        pattern: "^([1-9]\\d{0,2}|auto)$",
        expected: "a number from 1 to 999, or auto",
        default: "1",
      },
    ),
    demo: option(
      "TRACKLET_DEMO",
      "`on` is for trying it out on this machine: it has tokens that everybody knows, and nobody else reaches it",
      { enum: ["on", "off"], default: "off" },
    ),
    ...TOKEN_OPTIONS,
    watchedEvents: option(
      "TRACKLET_WATCHED_EVENTS",
      "names of events, by commas, of which `/metrics` tells when the last one came; it tells that of all in any case",
      { type: "array", items: { type: "string", minLength: 1 }, expected: "names, separated by commas", default: [] },
    ),
    retentionDays: option("TRACKLET_RETENTION_DAYS", "days after which events are deleted; without it they are kept", {
      ...LIMIT,
      minimum: 1,
      maximum: 36_500,
    }),
    maxEventBytes: option("TRACKLET_MAX_EVENT_BYTES", "largest body of an event", {
      ...LIMIT,
      minimum: 1_024,
      // With the rest of its page (4 MB) below the 16 MiB that `tracklet/read` takes.
      maximum: 8_388_608,
      default: 262_144,
    }),
    gpc: option(
      "TRACKLET_GPC",
      "`obey` answers events of a browser with Global Privacy Control as if they were stored, and stores none of them",
      { enum: ["obey", "ignore"], default: "ignore" },
    ),
    // High enough for any honest client on one machine, low enough to stop an endless loop of requests.
    rateLimit: option(
      "TRACKLET_RATE_LIMIT",
      "requests a minute of one client address, of all processes of a unit together; 0 is no limit",
      { ...LIMIT, default: 600_000 },
    ),
    // Half a million events of an office or a server behind one address; forty million of one token. The token stands in
    // pages: without a limit, whoever reads it there can fill the disk in minutes.
    addressQuota: option(
      "TRACKLET_ADDRESS_QUOTA_MB",
      "megabytes of events a day of one client address (with IPv6 of 64 bits, four times that of 56, 16 times of 48), of all processes of a unit; 0 is no limit",
      { ...LIMIT, default: 256 },
    ),
    tokenQuota: option("TRACKLET_TOKEN_QUOTA_MB", "the same of one workspace with its tokens, given by the hour", {
      ...LIMIT,
      default: 20_480,
    }),
    // Each is up to three rows: a contact, an account, and that the one belongs to the other.
    addressRecords: option(
      "TRACKLET_ADDRESS_RECORDS",
      "new contacts, accounts, memberships a day of one address, of all processes of a unit; 0 is no limit",
      { ...LIMIT, default: 20_000 },
    ),
    logLevel: option(
      "TRACKLET_LOG_LEVEL",
      "JSON lines on stdout of this level and above; `debug` adds requests, tokens are never in",
      { enum: ["fatal", "error", "warn", "info", "debug", "trace", "silent"], default: "info" },
    ),
  },
} as const;
