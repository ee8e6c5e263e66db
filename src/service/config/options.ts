import { fileURLToPath } from "node:url";
import type { XStatic } from "typebox/schema";
import { DEFAULT_PORT } from "./default-port.mjs";
import { ROOT_FOLDER } from "./root-folder.js";

/** What is said of an option: its environment variable, and what its value may be. */
export interface Option {
  variable: string;
  type?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  expected?: string;
  writeOnly?: boolean;
  /** The command that takes its place: it works as before for who has it. */
  former?: string;
}

/** One of them, with the words of the README. */
const option = <const Schema extends object>(variable: string, description: string, schema: Schema) => ({
  variable,
  description,
  ...schema,
});

/** One token or two. A user name of HTTP Basic has neither a colon nor control characters (RFC 7617 §2). */
const API_TOKEN = {
  type: "string",
  pattern: String.raw`^[^:,"'\s\p{Cc}]+(,[^:,"'\s\p{Cc}]+)?$`,
  expected: "text without blanks, quotes and colons, or two such texts with a comma between",
  writeOnly: true,
} as const;
/** One token or two, see RFC 6750 §2.1. */
const BEARER = {
  type: "string",
  pattern: "^[A-Za-z0-9._~+/-]+=*(,[A-Za-z0-9._~+/-]+=*)?$",
  expected: "made of letters, digits and - . _ ~ + / =, or be two such tokens with a comma between",
  writeOnly: true,
} as const;
/** What a workspace may be called, as a pattern. */
export const WORKSPACE = "[a-z0-9-]{1,64}";

/** The options that say who may ask, and for what. */
const TOKEN_OPTIONS = {
  apiToken: option("TRACKLET_API_TOKEN", "token that records events", {
    ...API_TOKEN,
    former: "token create website --kind api",
  }),
  accessToken: option("TRACKLET_ACCESS_TOKEN", "token that reads records", {
    ...BEARER,
    former: "token create owner --kind access",
  }),
  identity: option(
    "TRACKLET_IDENTITY",
    "proofs of who a contact is: `mark` stores whether they hold, `require` refuses what does not, `off` looks at none",
    { enum: ["off", "mark", "require"], default: "off" },
  ),
  identitySecret: option(
    "TRACKLET_IDENTITY_SECRET",
    "secret with which your servers sign these proofs, of 32 characters at least; or two, as `new,old`",
    {
      type: "string",
      pattern: String.raw`^[^,"'\s\p{Cc}]{32,}(,[^,"'\s\p{Cc}]{32,})?$`,
      expected: "text of at least 32 characters without blanks and quotes, or two such texts with a comma between",
      writeOnly: true,
    },
  ),
  serverToken: option(
    "TRACKLET_SERVER_TOKEN",
    "token that records events of your own servers, which no quota of an address counts",
    { ...API_TOKEN, former: "token create billing --kind server" },
  ),
  adminToken: option(
    "TRACKLET_ADMIN_TOKEN",
    "token that reads all of one person, erases it, changes records, and stores events with their own time",
    { ...BEARER, former: "token create maintenance --kind admin" },
  ),
  metricsToken: option("TRACKLET_METRICS_TOKEN", "token that reads `/metrics`", BEARER),
  workspaces: option("TRACKLET_WORKSPACES", "more pairs of tokens, each with its own data, as JSON (below)", {
    type: "object",
    former: "workspace create shop",
    // `default` has the tokens of the other variables.
    propertyNames: { pattern: `^(?!default$)${WORKSPACE}$` },
    additionalProperties: {
      type: "object",
      required: ["api_token", "access_token"],
      properties: { api_token: API_TOKEN, access_token: BEARER },
    },
    expected: 'JSON such as {"shop":{"api_token":"…","access_token":"…"}}, with names of a to z, digits and -',
    writeOnly: true,
    default: {},
  }),
} as const;

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
      "names of events, by commas, of which `/metrics` tells when the last one came",
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
    rateLimit: option("TRACKLET_RATE_LIMIT", "requests a minute of one client address; 0 is no limit", {
      ...LIMIT,
      default: 600_000,
    }),
    // Half a million events of an office or a server behind one address; forty million of one token. The token stands in
    // pages: without a limit, whoever reads it there can fill the disk in minutes.
    addressQuota: option(
      "TRACKLET_ADDRESS_QUOTA_MB",
      "megabytes of events a day of one client address; 0 is no limit",
      { ...LIMIT, default: 256 },
    ),
    tokenQuota: option("TRACKLET_TOKEN_QUOTA_MB", "the same of one workspace with its tokens, given by the hour", {
      ...LIMIT,
      default: 20_480,
    }),
    // Each is up to three rows: a contact, an account, and that the one belongs to the other.
    addressRecords: option(
      "TRACKLET_ADDRESS_RECORDS",
      "new contacts, accounts, memberships a day of one address; 0 is no limit",
      { ...LIMIT, default: 20_000 },
    ),
    logLevel: option(
      "TRACKLET_LOG_LEVEL",
      "JSON lines on stdout of this level and above; `debug` adds requests, tokens are never in",
      { enum: ["fatal", "error", "warn", "info", "debug", "trace", "silent"], default: "info" },
    ),
  },
} as const;

type Options = (typeof OPTIONS)["properties"];
type Given = XStatic<typeof OPTIONS>;
type WithDefault = {
  [Name in keyof Options]: Options[Name] extends { default: unknown } ? Name : never;
}[keyof Options];

/** The options as the service takes them. */
export interface ServiceConfig
  extends Omit<Given, WithDefault>,
    Required<Pick<Given, Exclude<WithDefault, "workspaces" | "trustProxy" | "watchedEvents" | "processes">>> {
  watchedEvents: string[];
  trustProxy: string[];
  /** How many share the port. */
  processes: number;
  workspaces: readonly Workspace[];
}

/** Tokens, and the data that is theirs alone. */
export interface Workspace {
  /** Lower-case letters, digits and `-`. */
  name: string;
  /** Token that may record events; two, as `new,old`, while one replaces the other. */
  apiToken: string;
  /** Bearer token that may read records; two, likewise. */
  accessToken: string;
}
