import { hash } from "node:crypto";
import type { ServiceConfig } from "../config/options.js";
import { DEFAULT_WORKSPACE } from "../database/exact-text.js";

/** Tokens that may do something, and whose each is. */
export type Tokens = (token: string) => string | undefined;

type Kind = "apiToken" | "accessToken" | "serverToken";

/**
 * The tokens of one kind. They are found by their digests, so the time of a look-up does not tell how much of a guess
 * is right.
 */
export const createTokens = (
  { apiToken, accessToken, serverToken, workspaces }: Pick<ServiceConfig, Kind | "workspaces">,
  kind: Kind,
): Tokens =>
  findToken(
    [{ name: DEFAULT_WORKSPACE, apiToken, accessToken, serverToken }, ...workspaces].map(
      (one) => [one[kind], one.name] as const,
    ),
  );

/** Finds what belongs to a token; a value holds one, or two with a comma between. */
export const findToken = (owners: readonly (readonly [value: string | undefined, owner: string])[]): Tokens => {
  const names = new Map(
    owners.flatMap(([value, owner]) => (value?.split(",") ?? []).map((token) => [sha256(token), owner])),
  );
  return (token) => names.get(sha256(token));
};

const sha256 = (text: string): string => hash("sha256", text, "hex");
