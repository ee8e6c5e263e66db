import { hash } from "node:crypto";
import { DEFAULT_WORKSPACE } from "./exact-text.js";
import { StartError } from "./start-error.js";
import type { Workspace } from "./workspaces.js";

/** One token or two. A user name of HTTP Basic has neither a colon nor control characters (RFC 7617 §2). */
export const API_TOKEN = /^[^:,\p{Cc}]+(,[^:,\p{Cc}]+)?$/u;
export const API_TOKEN_EXPECTED = "text without a colon or a line end, or two such texts with a comma between";
/** One token or two, see RFC 6750 §2.1. */
export const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*(,[A-Za-z0-9._~+/-]+=*)?$/;
export const BEARER_EXPECTED = "made of letters, digits and - . _ ~ + / =, or be two such tokens with a comma between";

/** Tokens that may do something, and whose each is. */
export type Tokens = (token: string) => string | undefined;

/** The tokens that a configuration has. */
interface AllTokens extends Omit<Workspace, "name"> {
  metricsToken: string | undefined;
  workspaces: readonly Workspace[];
}

/** Shorter ones can be guessed where other machines reach the service. */
const MIN_LENGTH = 16;

/**
 * No text may be two tokens: the one in the pages, for everybody to see, would read records.
 *
 * @throws StartError that names the variable
 */
export const checkTokens = (all: AllTokens, isPrivate: boolean): void => {
  const seen = new Map<string, string>();
  for (const { variable, token } of tokensOf(all)) {
    if (!isPrivate && token.length < MIN_LENGTH)
      throw new StartError(`${variable} must have at least ${MIN_LENGTH} characters where other machines can reach it`);
    const other = seen.get(token);
    if (other !== undefined) throw new StartError(`${variable} must differ from ${other}: each token is for one thing`);
    seen.set(token, variable);
  }
};

/** Each token, and the variable that it stands in. */
const tokensOf = ({ apiToken, accessToken, metricsToken, workspaces }: AllTokens) =>
  [
    ["TRACKLET_API_TOKEN", apiToken],
    ["TRACKLET_ACCESS_TOKEN", accessToken],
    ["TRACKLET_METRICS_TOKEN", metricsToken ?? ""],
    ...workspaces.flatMap((one) => [
      ["TRACKLET_WORKSPACES", one.apiToken],
      ["TRACKLET_WORKSPACES", one.accessToken],
    ]),
  ].flatMap(([variable, value]) => split(value!).map((token) => ({ variable: variable!, token })));

/** A variable holds one token, or two with a comma between. */
const split = (value: string): string[] => (value === "" ? [] : value.split(","));

/**
 * The tokens of one kind. They are found by their digests, so the time of a look-up does not tell how much of a guess
 * is right.
 */
export const createTokens = (
  { apiToken, accessToken, workspaces }: Omit<AllTokens, "metricsToken">,
  kind: "apiToken" | "accessToken",
): Tokens =>
  findToken(
    [{ name: DEFAULT_WORKSPACE, apiToken, accessToken }, ...workspaces].map((one) => [one[kind], one.name] as const),
  );

/** Finds what belongs to a token. */
export const findToken = (owners: readonly (readonly [value: string, owner: string])[]): Tokens => {
  const names = new Map(owners.flatMap(([value, owner]) => split(value).map((token) => [sha256(token), owner])));
  return (token) => names.get(sha256(token));
};

const sha256 = (text: string): string => hash("sha256", text, "hex");
