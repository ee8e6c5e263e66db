import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import Format from "typebox/format";
import { Errors, type XStatic } from "typebox/schema";
import { nearName } from "../base/exact-text.js";
import { isLoopback } from "../base/loopback.js";
import { StartError } from "../base/start-error.js";
import { addressesOf } from "./database-url.js";
import { DEMO_TOKENS } from "./demo-tokens.js";
import { OPTIONS, type Option, type ServiceConfig, type Workspace } from "./options.js";

/** Variables of the project that other programs read: the demo, its clients, Docker, the tests. */
const ELSEWHERE =
  /^TRACKLET_(SITE_PORT|DIST|BASE_URL|TRACK_URL|URL|DOMAIN|BACKUPS|ALL|ENGINES|MEASURE|APP_OUT|TEST_CLUSTER)$/;

/** Variables of what has gone, and what they were for: for one release they are ignored, so that an update needs no other change. */
const GONE: Readonly<Record<string, string>> = {
  TRACKLET_DEAD_LETTERS: "refused bodies are kept no more",
  TRACKLET_BATCH: "pages are always told that several events may come in one request",
};

const options = Object.entries<Option>(OPTIONS.properties);

/**
 * Reads the configuration from environment variables.
 *
 * @param warn is told of those that are ignored
 * @throws StartError that names the variable whose value is wrong
 */
export const readConfig = (
  given: Record<string, string | undefined>,
  warn: (text: string) => void = () => {},
): ServiceConfig => {
  const known = options.map(([, { variable }]) => variable);
  for (const name of Object.keys(given)) {
    if (known.includes(name) || ELSEWHERE.test(name)) continue;
    if (name in GONE) {
      warn(`${name} is ignored: ${GONE[name]}; take it out, the next release refuses it`);
      continue;
    }
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

/** What options are together: those that follow from others, and those that do not go with others. */
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
