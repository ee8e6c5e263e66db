/** What options are together: those that follow from others, and those that do not go with others. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { XStatic } from "typebox/schema";
import { isLoopback } from "../base/loopback.js";
import { StartError } from "../base/start-error.js";
import { DEMO_TOKENS } from "./demo-tokens.js";
import type { Option } from "./option.js";
import { OPTIONS } from "./options.js";
import type { ServiceConfig, Workspace } from "./service-config.js";

/** Shorter tokens can be guessed. */
const MIN_TOKEN = 16;

/** What examples have in the place of a token, or one character alone. */
const PLACEHOLDER = /^(.)\1*$|^(your|my)[-_]|change[-_]?(me|this)|replace[-_]?(me|this)|placeholder|xxxx|…/iu;

type Values = XStatic<typeof OPTIONS>;

/** What a member is where it depends on others, and what it may not be then. @throws StartError that names the variable */
export const complete = (values: Values): ServiceConfig => {
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
