import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import type { ServiceConfig } from "../config/options.js";
import type { Query } from "../database/database.js";
import { addWorkspace, KINDS, type Kind, listTokens, listWorkspaces, sha256 } from "./token-store.js";

/** Tokens that may do something, and whose each is. */
export type Tokens = (token: string) => string | undefined;

/** Who may ask for what, as the environment and the database say. */
export interface Access {
  /** Has this start made the database? */
  isNew: boolean;
  /** Is there no token at all? */
  isEmpty(): boolean;
  tokens(kind: Kind): Tokens;
  /** The workspace of an admin token, and its name: that of the database, or of the variable. */
  admin(token: string): { workspace: string; name: string } | undefined;
  /** Is there any admin token? */
  hasAdmin(): boolean;
  /** The names of all workspaces. */
  workspaces(): readonly string[];
  /** Learns anew what the database says. */
  load(): Promise<void>;
}

type Config = Pick<
  ServiceConfig,
  "apiToken" | "accessToken" | "serverToken" | "adminToken" | "metricsToken" | "workspaces"
>;
interface Owner {
  workspace: string;
  name: string;
  expiresAt: number;
}

/**
 * The tokens of the environment, whose workspaces are made where there are none, and those of the database. They are found by
 * their digests, so the time of a look-up does not tell how much of a guess is right.
 *
 * @throws StartError when a token of the environment stands in the database, too
 */
export const createAccess = async (query: Query, config: Config): Promise<Access> => {
  const others = config.workspaces.map((one) => ({ ...one, serverToken: undefined, adminToken: undefined }));
  const own = [{ name: DEFAULT_WORKSPACE, ...config }, ...others].map(({ name, ...tokens }) => ({
    name,
    api: digests(tokens.apiToken),
    access: digests(tokens.accessToken),
    // None is made by a variable.
    numbers: [],
    server: digests(tokens.serverToken),
    admin: digests(tokens.adminToken),
  }));
  let isNew = false;
  for (const { name } of own) isNew = (await addWorkspace(query, name)) && name === DEFAULT_WORKSPACE ? true : isNew;
  const stored = new Map((await listTokens(query)).map((token) => [token.digest, token]));
  for (const digest of [...own.flatMap((one) => KINDS.flatMap((kind) => one[kind])), ...digests(config.metricsToken)]) {
    const same = stored.get(digest);
    if (same !== undefined)
      throw new StartError(
        `a token of the environment is the token ${JSON.stringify(same.name)} of the workspace ${same.workspace}: each token is for one thing`,
      );
  }

  let names: readonly string[] = [];
  let owners = new Map<string, Owner>();
  /** Those that were sent and are right: so there are never more of them than tokens. */
  let sent = new Map<string, Owner>();
  const ownerOf = (kind: Kind, token: string): Owner | undefined => {
    let owner = sent.get(kind + token);
    if (owner === undefined) {
      owner = owners.get(kind + sha256(token));
      if (owner !== undefined) sent.set(kind + token, owner);
    }
    return owner !== undefined && Date.now() < owner.expiresAt ? owner : undefined;
  };
  return {
    isNew,
    isEmpty: () => owners.size === 0,
    tokens: (kind) => (token) => ownerOf(kind, token)?.workspace,
    admin: (token) => ownerOf("admin", token),
    hasAdmin: () => [...owners.keys()].some((key) => key.startsWith("admin")),
    workspaces: () => names,
    load: async () => {
      const [workspaces, tokens] = await Promise.all([listWorkspaces(query), listTokens(query)]);
      names = workspaces;
      owners = new Map();
      sent = new Map();
      for (const { digest, kind, workspace, name, expiresAt = Number.POSITIVE_INFINITY } of tokens)
        owners.set(kind + digest, { workspace, name, expiresAt });
      // What was deleted is served no more, though the environment of this process names it.
      for (const { name, ...kinds } of own.filter((one) => names.includes(one.name)))
        for (const kind of KINDS)
          for (const digest of kinds[kind])
            owners.set(kind + digest, {
              workspace: name,
              name: `TRACKLET_${kind.toUpperCase()}_TOKEN`,
              expiresAt: Number.POSITIVE_INFINITY,
            });
    },
  };
};

/** Of a value that holds one token, two with a comma between, or none. */
export const digests = (value: string | undefined): string[] => value?.split(",").map(sha256) ?? [];
