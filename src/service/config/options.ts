import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import Format from "typebox/format";
import { Errors, type XStatic } from "typebox/schema";
import { isLoopback } from "../base/loopback.js";
import { nearName } from "../base/near-name.js";
import { StartError } from "../base/start-error.js";
import { DEFAULT_PORT } from "./default-port.mjs";
import { DEMO_TOKENS } from "./demo-tokens.js";

/** The root of the repository or of a release, seen from the source of the service or from what is built of it, `build/service`. */
export const ROOT_FOLDER = import.meta.url.replace(/(.*\/)(src|build)\/service\/.*/, "$1");

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

/**
 * What stands in front of the hosts of a database's URL, the hosts, and what stands behind them. What ends a part of a URL is written
 * otherwise in a password, or what stands behind it would be taken for the host, and told; with a blank in it, `pg` reads the rest wrong.
 */
const PARTS = /^(postgres(?:ql)?:\/\/(?:(?:[^@/?#%\s]|%[\da-f]{2})*@)?)([^@/?#\s]*)([^@#\s]*)$/i;

/**
 * The addresses that a database's URL names, each as a URL: there may be several, as libpq takes them
 * (PostgreSQL, "Connection URIs").
 *
 * @returns none where the text is no such URL
 */
export const addressesOf = (url: string): string[] => {
  const [, before, hosts = "", behind] = PARTS.exec(url) ?? [];
  if (before === undefined || /^,|,,|,$/.test(hosts)) return [];
  const addresses = hosts.split(",").map((host) => `${before}${host}${behind}`);
  return addresses.every((address) => URL.canParse(address)) ? addresses : [];
};

/** The database of a service, for people: without a password. */
export const tellDatabase = ({
  databaseUrl,
  dataFolder,
}: Pick<ServiceConfig, "databaseUrl" | "dataFolder">): string => {
  if (databaseUrl === undefined) return `a PostgreSQL of its own in ${dataFolder}`;
  const urls = addressesOf(databaseUrl).map((address) => new URL(address));
  const hosts = urls.map(({ host }) => host || "this machine").join(", ");
  return `the database ${urls[0]!.pathname.slice(1) || "of the user's name"} at ${hosts}`;
};

/** Variables of the project that other programs read: the demo, its clients, Docker, the tests. */
const ELSEWHERE =
  /^TRACKLET_(SITE_PORT|DIST|BASE_URL|TRACK_URL|URL|DOMAIN|BACKUPS|ALL|ENGINES|MEASURE|APP_OUT|TEST_CLUSTER)$/;

const options = Object.entries<Option>(OPTIONS.properties);

/**
 * Reads the configuration from environment variables.
 *
 * @throws StartError that names the variable whose value is wrong
 */
export const readConfig = (given: Record<string, string | undefined>): ServiceConfig => {
  const known = options.map(([, { variable }]) => variable);
  for (const name of Object.keys(given)) {
    if (known.includes(name) || ELSEWHERE.test(name)) continue;
    const meant = nearName(name, known);
    if (meant !== undefined) throw new StartError(`${name} must not be set: ${meant} was probably meant`);
    if (name.startsWith("TRACKLET_"))
      throw new StartError(`${name} must not be set: the service knows ${known.join(", ")}`);
  }
  const values = Object.fromEntries(
    options
      .map(([name, { variable, type }]) => [name, readText(type, given[variable])])
      .filter(([, value]) => value !== undefined),
  );
  const [isRight, [error]] = Errors(OPTIONS, values);
  if (!isRight) throw new StartError(tell(given, error!.instancePath.split("/")[1]!));
  return complete(values);
};

/** A text as the type of value that it stands for; as it is where it stands for none. */
const readText = (type: string | undefined, text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  if (type === "integer") return /^\d+$/.test(text) ? Number(text) : text;
  if (type === "array") return text.split(",").map((one) => one.trim());
  if (type !== "object") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** In front of a host. */
const PASSWORD = /\/\/.*@/;

const tell = (given: Record<string, string | undefined>, name: string): string => {
  const { variable, expected, writeOnly, ...option } = options.find(([one]) => one === name)![1];
  const what = expected ?? option.enum?.join(" or ") ?? `an integer from ${option.minimum} to ${option.maximum}`;
  return `${variable} must be ${what}${writeOnly ? "" : `, but is "${given[variable]!.replace(PASSWORD, "//…@")}"`}`;
};

const FORMATS: Record<string, (text: string) => boolean> = {
  "web-address": (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && url.origin + url.pathname === url.href;
  },
  proxy: (text) => {
    const [address = "", bits, ...rest] = text.split("/");
    const most = isIP(address) === 4 ? 32 : 128;
    const isAddress = isIP(address) !== 0 && rest.length === 0;
    return (
      (isAddress && (bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most))) ||
      /^(loopback|linklocal|uniquelocal)$/.test(text)
    );
  },
  // A second @, or one behind a slash, is of a password: what stands behind it would be taken for the host.
  database: (text) => addressesOf(text).length > 0,
};
for (const [name, check] of Object.entries(FORMATS)) Format.Set(name, check);

/** Shorter tokens can be guessed. */
const MIN_TOKEN = 16;

/** What examples have in the place of a token, such as the name of its variable, or one character alone. */
const PLACEHOLDER =
  /^(.)\1*$|^(your|my)[-_]|change[-_]?(me|this)|replace[-_]?(me|this)|placeholder|xxxx|…|^tracklet_[a-z_]+$/iu;

type Values = XStatic<typeof OPTIONS>;

/** What a member is where it depends on others, and what it may not be then. @throws StartError that names the variable */
const complete = (values: Values): ServiceConfig => {
  const defaults = Object.fromEntries(
    Object.entries<Option>(OPTIONS.properties).map(([name, option]) => [name, option.default]),
  );
  const { workspaces, ...all } = {
    ...defaults,
    ...(values.demo === "on" && DEMO_TOKENS),
    ...values,
  } as Required<Values>;
  const config = {
    ...all,
    dataFolder: resolve(all.dataFolder),
    processes: all.processes === "auto" ? availableParallelism() : Number(all.processes),
    publicUrl: all.publicUrl && new URL(all.publicUrl).href.replace(/\/$/, ""),
    workspaces: Object.entries(workspaces).map(
      ([name, tokens]): Workspace => ({ name, apiToken: tokens.api_token, accessToken: tokens.access_token }),
    ),
  };
  if (config.trustProxy.length > 0 && config.publicUrl === undefined)
    throw new StartError("TRACKLET_PUBLIC_URL must be set with TRACKLET_TRUST_PROXY: clients use the proxy's address");
  if (config.demo === "on" && (!isLoopback(config.host) || config.publicUrl !== undefined))
    throw new StartError(
      "TRACKLET_DEMO must be off where other machines can reach the service: everybody knows its tokens",
    );
  if (config.databaseUrl === undefined && all.processes !== "1")
    throw new StartError(
      "TRACKLET_PROCESSES must be 1 without DATABASE_URL: one process alone can have a PostgreSQL of its own",
    );
  checkTokens(config);
  if (config.identity !== "off" && config.identitySecret === undefined)
    throw new StartError(`TRACKLET_IDENTITY_SECRET must be set where TRACKLET_IDENTITY is ${config.identity}`);
  return config;
};

/** No text may be two tokens: the one in the pages, for everybody to see, would read records. */
const checkTokens = (config: ServiceConfig): void => {
  const tokens = [
    ["TRACKLET_API_TOKEN", config.apiToken],
    ["TRACKLET_ACCESS_TOKEN", config.accessToken],
    ["TRACKLET_SERVER_TOKEN", config.serverToken],
    ["TRACKLET_ADMIN_TOKEN", config.adminToken],
    ["TRACKLET_METRICS_TOKEN", config.metricsToken],
    ["TRACKLET_IDENTITY_SECRET", config.identitySecret],
    ...config.workspaces.flatMap((one) =>
      [one.apiToken, one.accessToken].map((token) => ["TRACKLET_WORKSPACES", token]),
    ),
  ].flatMap(([variable, value]) => (value?.split(",") ?? []).map((token) => ({ variable: variable!, token })));
  const seen = new Map<string, string>();
  for (const { variable, token } of tokens) {
    if (config.demo === "off" && token.length < MIN_TOKEN)
      throw new StartError(`${variable} must have at least ${MIN_TOKEN} characters`);
    if (config.demo === "off" && PLACEHOLDER.test(token))
      throw new StartError(`${variable} must be a secret of your own, not what stands in an example`);
    const other = seen.get(token);
    if (other !== undefined) throw new StartError(`${variable} must differ from ${other}: each token is for one thing`);
    seen.set(token, variable);
  }
};
