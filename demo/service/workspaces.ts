import { hash } from "node:crypto";
import { DEFAULT_WORKSPACE } from "./exact-text.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The workspace of the token that the request was sent with. */
    workspace: string;
  }
}

/** Tokens, and the data that is theirs alone. */
export interface Workspace {
  /** Lower-case letters, digits and `-`. */
  name: string;
  /** Token that may record events. */
  apiToken: string;
  /** Bearer token that may read records. */
  accessToken: string;
}

const EXAMPLE = '{"shop":{"api_token":"…","access_token":"…"}}';
const NAME = /^[a-z0-9-]{1,64}$/;
/** A user name of HTTP Basic has neither a colon nor control characters (RFC 7617 §2). */
const API_TOKEN = /^[^:\p{Cc}]+$/u;
/** RFC 6750 §2.1. */
const ACCESS_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Reads workspaces from JSON.
 *
 * @param taken the tokens of the workspace that is always there
 * @throws Error that says what is wrong; it repeats no token
 */
export const readWorkspaces = (json: string, taken: Omit<Workspace, "name">): Workspace[] => {
  const wrong = (reason: string) => new Error(`must be JSON such as ${EXAMPLE}, but ${reason}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw wrong("it cannot be read as JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw wrong("it is no object");
  const workspaces = Object.entries(parsed).map(([name, tokens]) => {
    const { api_token: apiToken, access_token: accessToken } = (tokens ?? {}) as Record<string, unknown>;
    if (!NAME.test(name)) throw wrong(`the name "${name}" is not made of letters from a to z, digits and -`);
    if (name === DEFAULT_WORKSPACE) throw wrong(`"${name}" has the tokens of the other variables`);
    if (typeof apiToken !== "string" || !API_TOKEN.test(apiToken))
      throw wrong(`"${name}" has no api_token without a colon or a line end`);
    if (typeof accessToken !== "string" || !ACCESS_TOKEN.test(accessToken))
      throw wrong(`"${name}" has no access_token made of letters, digits and - . _ ~ + / =`);
    return { name, apiToken, accessToken };
  });
  const all = [taken, ...workspaces];
  for (const kind of ["apiToken", "accessToken"] as const)
    if (new Set(all.map((one) => one[kind])).size < all.length) throw wrong("two workspaces share a token");
  return workspaces;
};

/** The names of all workspaces, the one that is always there first. */
export const workspaceNames = (workspaces: readonly Workspace[]): string[] => [
  DEFAULT_WORKSPACE,
  ...workspaces.map(({ name }) => name),
];

/** Tokens that may do something, and whose each is. */
export type Tokens = (token: string) => string | undefined;

/**
 * The tokens of one kind. They are found by their digests, so the time of a look-up does not tell how much of a guess
 * is right.
 */
export const createTokens = (
  { apiToken, accessToken, workspaces }: { apiToken: string; accessToken: string; workspaces: readonly Workspace[] },
  kind: "apiToken" | "accessToken",
): Tokens => {
  const all = [{ name: DEFAULT_WORKSPACE, apiToken, accessToken }, ...workspaces];
  const names = new Map(all.map((workspace) => [sha256(workspace[kind]), workspace.name]));
  return (token) => names.get(sha256(token));
};

const sha256 = (text: string): string => hash("sha256", text, "hex");
