import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_WORKSPACE, nearName, parseObject } from "../base/exact-text.js";
import { isLoopback, isLoopbackAddress } from "../base/loopback.js";
import { StartError } from "../base/start-error.js";
import { DEFAULT_PORT, DEMO_TOKENS } from "./defaults.mjs";

/** The root of the repository or of a release, seen from the source of the service or from what is built of it, `build/service`. */
export const ROOT_FOLDER = import.meta.url.replace(/(.*\/)(src|build)\/service\/.*/, "$1");

/** What an option may be. */
interface Kind<Value> {
  expected: string;
  /** Makes the value of a text; nothing where it is wrong. */
  read(text: string): Value | undefined;
  /** Is it repeated to nobody? */
  isSecret?: boolean;
}

/** What is said of an option: its environment variable, the words of the README, what its value may be, and is where nothing is set. */
const option = <Value, Absent extends Value | undefined = undefined>(
  variable: string,
  description: string,
  kind: Kind<Value>,
  absent?: Absent,
) => ({ variable, description, ...kind, default: absent as Absent });
export type Option = ReturnType<typeof option> & { former?: string };

/** One that works as before for who has it. @param command takes its place */
const former = <Value, Absent extends Value | undefined = undefined>(
  variable: string,
  command: string,
  kind: Kind<Value>,
  absent?: Absent,
) => ({ ...option(variable, "", kind, absent), former: command });

const matching = (pattern: RegExp, expected: string): Kind<string> => ({
  expected,
  read: (text) => (pattern.test(text) ? text : undefined),
});
/** A limit may be 0, which is none. */
const integer = (minimum = 0, maximum = 1_000_000_000): Kind<number> => ({
  expected: `an integer from ${minimum} to ${maximum}`,
  read: (text) => (/^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum ? Number(text) : undefined),
});
const oneOf = <const Name extends string>(...names: Name[]): Kind<Name> => ({
  expected: names.join(" or "),
  read: (text) => names.find((name) => name === text),
});
const listOf = (isRight: (text: string) => boolean, expected: string): Kind<string[]> => ({
  expected: `${expected}, separated by commas`,
  read: (text) => {
    const all = text.split(",").map((one) => one.trim());
    return all.every(isRight) ? all : undefined;
  },
});

const secret = (...form: Parameters<typeof matching>): Kind<string> => ({ ...matching(...form), isSecret: true });
/** One token or two. A user name of HTTP Basic has neither a colon nor control characters (RFC 7617 §2). */
const eventToken = secret(
  /^[^:,"'\s\p{Cc}]+(,[^:,"'\s\p{Cc}]+)?$/u,
  "text without blanks, quotes and colons, or two such texts with a comma between",
);
/** One token or two, see RFC 6750 §2.1. */
const bearer = secret(
  /^[A-Za-z0-9._~+/-]+=*(,[A-Za-z0-9._~+/-]+=*)?$/,
  "made of letters, digits and - . _ ~ + / =, or be two such tokens with a comma between",
);

export const WORKSPACE = "[a-z0-9-]{1,64}";

/** Tokens, and the data that is theirs alone. */
interface Workspace {
  /** Lower-case letters, digits and `-`. */
  name: string;
  /** Token that may record events; two, as `new,old`, while one replaces the other. */
  apiToken: string;
  /** Bearer token that may read records; two, likewise. */
  accessToken: string;
}

const readWorkspaces = (text: string): readonly Workspace[] | undefined => {
  const given = parseObject(text);
  const workspaces = Object.entries(given ?? {}).map(([name, tokens]) => {
    const { api_token, access_token } = Object(tokens);
    return { name, apiToken: eventToken.read(`${api_token ?? ""}`), accessToken: bearer.read(`${access_token ?? ""}`) };
  });
  // `default` has the tokens of the other variables.
  const isRight = (one: (typeof workspaces)[number]): one is Workspace =>
    RegExp(`^${WORKSPACE}$`).test(one.name) && one.name !== DEFAULT_WORKSPACE && !!(one.apiToken && one.accessToken);
  return given !== undefined && workspaces.every(isRight) ? workspaces : undefined;
};
const workspaces: Kind<readonly Workspace[]> = {
  expected: 'JSON such as {"shop":{"api_token":"…","access_token":"…"}}, with names of a to z, digits and -',
  read: readWorkspaces,
  isSecret: true,
};

const readAddress = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRight = url !== undefined && /^https?:$/.test(url.protocol) && url.origin + url.pathname === url.href;
  return isRight ? url.href.replace(/\/$/, "") : undefined;
};

const isProxy = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/");
  const most = isIP(address) === 4 ? 32 : 128;
  const isAddress = isIP(address) !== 0 && rest.length === 0;
  return (
    (isAddress && (bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most))) ||
    /^(loopback|linklocal|uniquelocal)$/.test(text)
  );
};

const folder: Kind<string> = {
  expected: "a folder",
  read: (text) => (text === "" ? undefined : resolve(text)),
};
/** PostgreSQL does not run as root, and no other user can enter root's own folders. */
const DATA = process.getuid?.() === 0 ? "/var/lib/tracklet" : fileURLToPath(new URL(".data", ROOT_FOLDER));

const database: Kind<string> = {
  expected:
    "a URL such as postgresql://user:password@host:5432/database, with @ as %40, / as %2F, # as %23, ? as %3F, % as %25 and a blank as %20 in the password, or of several hosts, as in postgresql://user:password@host1:5432,host2:5432/database",
  // A second @, or one behind a slash, is of a password: what stands behind it would be taken for the host.
  read: (text) => (addressesOf(text).length > 0 ? text : undefined),
  isSecret: true,
};

export const OPTIONS = {
  port: option("TRACKLET_SERVICE_PORT", "port; 0 takes any free one", integer(0, 65_535), DEFAULT_PORT),
  // What a URL can hold as its host; of IPv6 without brackets.
  host: option(
    "TRACKLET_SERVICE_HOST",
    "address to listen at",
    matching(/^[A-Za-z0-9._:%-]+$/, "a host name or an IP address"),
    "127.0.0.1",
  ),
  publicUrl: option("TRACKLET_PUBLIC_URL", "the address that clients use, such as `https://track.example.com`", {
    expected: "an address such as https://track.example.com",
    read: readAddress,
  }),
  trustProxy: option(
    "TRACKLET_TRUST_PROXY",
    "proxies whose `X-Forwarded-For` is believed: addresses, networks, `loopback`, by commas",
    listOf(isProxy, "IP addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal"),
    [],
  ),
  dataFolder: option(
    "TRACKLET_DATA",
    "folder of the service's own PostgreSQL; as root by default `/var/lib/tracklet`",
    folder,
    DATA,
  ),
  databaseUrl: option("DATABASE_URL", "a given PostgreSQL instead, for any number of processes", database),
  processes: option(
    "TRACKLET_PROCESSES",
    "processes that share the port, `auto` for one on each core; more than one need `DATABASE_URL`",
    {
      expected: "a number from 1 to 999, or auto",
      read: (text: string) => (text === "auto" ? availableParallelism() : integer(1, 999).read(text)),
    },
    1,
  ),
  demo: option(
    "TRACKLET_DEMO",
    "`on` is for trying it out on this machine: it has tokens that everybody knows, and nobody else reaches it",
    oneOf("on", "off"),
    "off",
  ),
  apiToken: former("TRACKLET_API_TOKEN", "token create website --kind api", eventToken),
  accessToken: former("TRACKLET_ACCESS_TOKEN", "token create owner --kind access", bearer),
  identity: option(
    "TRACKLET_IDENTITY",
    "proofs of who a contact is: `mark` stores whether they hold, `require` refuses what does not, `off` looks at none",
    oneOf("off", "mark", "require"),
    "off",
  ),
  identitySecret: option(
    "TRACKLET_IDENTITY_SECRET",
    "secret with which your servers sign these proofs, of 32 characters at least; or two, as `new,old`",
    secret(
      /^[^,"'\s\p{Cc}]{32,}(,[^,"'\s\p{Cc}]{32,})?$/u,
      "text of at least 32 characters without blanks and quotes, or two such texts with a comma between",
    ),
  ),
  serverToken: former("TRACKLET_SERVER_TOKEN", "token create billing --kind server", eventToken),
  adminToken: former("TRACKLET_ADMIN_TOKEN", "token create maintenance --kind admin", bearer),
  metricsToken: option("TRACKLET_METRICS_TOKEN", "token that reads `/metrics`", bearer),
  workspaces: former("TRACKLET_WORKSPACES", "workspace create shop", workspaces, []),
  watchedEvents: option(
    "TRACKLET_WATCHED_EVENTS",
    "names of events, by commas, of which `/metrics` tells when the last one came",
    listOf((name) => name !== "", "names"),
    [],
  ),
  retentionDays: option(
    "TRACKLET_RETENTION_DAYS",
    "days after which events are deleted; without it they are kept",
    integer(1, 36_500),
  ),
  // With the rest of its page (4 MB) below the 16 MiB that `tracklet/read` takes.
  maxEventBytes: option("TRACKLET_MAX_EVENT_BYTES", "largest body of an event", integer(1_024, 8_388_608), 262_144),
  gpc: option(
    "TRACKLET_GPC",
    "`obey` answers events of a browser with Global Privacy Control as if they were stored, and stores none of them",
    oneOf("obey", "ignore"),
    "ignore",
  ),
  // High enough for any honest client on one machine, low enough to stop an endless loop of requests.
  rateLimit: option(
    "TRACKLET_RATE_LIMIT",
    "requests a minute of one client address; 0 is no limit",
    integer(),
    600_000,
  ),
  // Half a million events of an office or a server behind one address; forty million of one token. The token stands in
  // pages: without a limit, whoever reads it there can fill the disk in minutes.
  addressQuota: option(
    "TRACKLET_ADDRESS_QUOTA_MB",
    "megabytes of events a day of one client address; 0 is no limit",
    integer(),
    256,
  ),
  tokenQuota: option(
    "TRACKLET_TOKEN_QUOTA_MB",
    "the same of one workspace with its tokens, given by the hour",
    integer(),
    20_480,
  ),
  // Each is up to three rows: a contact, an account, and that the one belongs to the other.
  addressRecords: option(
    "TRACKLET_ADDRESS_RECORDS",
    "new contacts, accounts, memberships a day of one address; 0 is no limit",
    integer(),
    20_000,
  ),
  logLevel: option(
    "TRACKLET_LOG_LEVEL",
    "JSON lines on stdout of this level and above; `debug` adds requests, tokens are never in",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "info",
  ),
};

type Options = typeof OPTIONS;
type Values = { [Name in keyof Options]: NonNullable<ReturnType<Options[Name]["read"]>> };
type WithDefault = {
  [Name in keyof Options]: Options[Name]["default"] extends undefined ? never : Name;
}[keyof Options];

/** The options as the service takes them. */
export interface ServiceConfig extends Pick<Values, WithDefault>, Partial<Omit<Values, WithDefault>> {}

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

const PASSWORD = /\/\/.*@/;

/**
 * Reads the configuration from environment variables.
 *
 * @throws StartError that names the variable whose value is wrong
 */
export const readConfig = (given: Record<string, string | undefined>): ServiceConfig => {
  const options = Object.entries<Option>(OPTIONS);
  const known = options.map(([, { variable }]) => variable);
  for (const name of Object.keys(given)) {
    if (known.includes(name) || ELSEWHERE.test(name)) continue;
    const meant = nearName(name, known);
    if (meant !== undefined) throw new StartError(`${name} must not be set: ${meant} was probably meant`);
    if (name.startsWith("TRACKLET_"))
      throw new StartError(`${name} must not be set: the service knows ${known.join(", ")}`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, { variable, expected, isSecret, read, default: absent }] of options) {
    const text = given[variable];
    const value = text === undefined ? absent : read(text);
    if (text !== undefined && value === undefined)
      throw new StartError(
        `${variable} must be ${expected}${isSecret ? "" : `, but is "${text.replace(PASSWORD, "//…@")}"`}`,
      );
    if (value !== undefined) values[name] = value;
  }
  const config = { ...(values.demo === "on" && DEMO_TOKENS), ...values } as ServiceConfig;
  checkTogether(config);
  checkTokens(config);
  return config;
};

/** What a member may not be because of others. @throws StartError that names the variable */
const checkTogether = ({ trustProxy, publicUrl, demo, host, ...config }: ServiceConfig): void => {
  if (trustProxy.length > 0 && publicUrl === undefined)
    throw new StartError("TRACKLET_PUBLIC_URL must be set with TRACKLET_TRUST_PROXY: clients use the proxy's address");
  if (demo === "on" && !(isLoopback(host) && isLoopbackAddress(publicUrl ?? "http://localhost")))
    throw new StartError(
      "TRACKLET_DEMO must be off where other machines can reach the service: everybody knows its tokens",
    );
  if (config.databaseUrl === undefined && config.processes > 1)
    throw new StartError(
      "TRACKLET_PROCESSES must be 1 without DATABASE_URL: one process alone can have a PostgreSQL of its own",
    );
  if (config.identity !== "off" && config.identitySecret === undefined)
    throw new StartError(`TRACKLET_IDENTITY_SECRET must be set where TRACKLET_IDENTITY is ${config.identity}`);
};

/** Shorter tokens can be guessed. */
const MIN_TOKEN = 16;

/** What examples have in the place of a token, such as the name of its variable, or one character alone. */
const PLACEHOLDER =
  /^(.)\1*$|^(your|my)[-_]|change[-_]?(me|this)|replace[-_]?(me|this)|placeholder|xxxx|…|^tracklet_[a-z_]+$/iu;

/** No text may be two tokens: the one in the pages, for everybody to see, would read records. */
const checkTokens = (config: ServiceConfig): void => {
  const named = Object.entries<Option>(OPTIONS).filter(([name]) => /(Token|Secret)$/.test(name));
  const tokens = [
    ...named.map(([name, { variable }]) => [variable, config[name as "apiToken"]] as const),
    ...config.workspaces.flatMap(({ apiToken, accessToken }) =>
      [apiToken, accessToken].map((token) => ["TRACKLET_WORKSPACES", token] as const),
    ),
  ].flatMap(([variable, value]) => (value?.split(",") ?? []).map((token) => ({ variable, token })));
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
