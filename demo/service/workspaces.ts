import { DEFAULT_WORKSPACE } from "./exact-text.js";
import { API_TOKEN, API_TOKEN_EXPECTED, BEARER_EXPECTED, BEARER_TOKEN } from "./tokens.js";

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
  /** Token that may record events; two, as `new,old`, while one replaces the other. */
  apiToken: string;
  /** Bearer token that may read records; two, likewise. */
  accessToken: string;
}

const EXAMPLE = '{"shop":{"api_token":"…","access_token":"…"}}';
const NAME = /^[a-z0-9-]{1,64}$/;
/**
 * Reads workspaces from JSON.
 *
 * @throws Error that says what is wrong; it repeats no token
 */
export const readWorkspaces = (json: string): Workspace[] => {
  const wrong = (reason: string) => new Error(`must be JSON such as ${EXAMPLE}, but ${reason}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw wrong("it cannot be read as JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw wrong("it is no object");
  return Object.entries(parsed).map(([name, tokens]) => {
    const { api_token: apiToken, access_token: accessToken } = (tokens ?? {}) as Record<string, unknown>;
    if (!NAME.test(name)) throw wrong(`the name "${name}" is not made of letters from a to z, digits and -`);
    if (name === DEFAULT_WORKSPACE) throw wrong(`"${name}" has the tokens of the other variables`);
    if (typeof apiToken !== "string" || !API_TOKEN.test(apiToken))
      throw wrong(`the api_token of "${name}" must be ${API_TOKEN_EXPECTED}`);
    if (typeof accessToken !== "string" || !BEARER_TOKEN.test(accessToken))
      throw wrong(`the access_token of "${name}" must be ${BEARER_EXPECTED}`);
    return { name, apiToken, accessToken };
  });
};

/** The names of all workspaces, the one that is always there first. */
export const workspaceNames = (workspaces: readonly Workspace[]): string[] => [
  DEFAULT_WORKSPACE,
  ...workspaces.map(({ name }) => name),
];
