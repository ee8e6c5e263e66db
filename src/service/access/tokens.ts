import { hash, randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from "fastify";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import type { ServiceConfig } from "../config/options.js";
import type { Database, Query } from "../database/database.js";
import { moveGeneration } from "../database/generation.js";
import { HttpError } from "../http/error-answers.js";

/** What a token may do: record events of pages, or of servers, read records, read figures of nobody, or all that concerns one person and the past. */
export const KINDS = ["api", "server", "access", "numbers", "admin"] as const;
export type Kind = (typeof KINDS)[number];

/** A token without its text, which nobody knows but who was shown it. Times are epoch milliseconds. */
export interface Token {
  digest: string;
  workspace: string;
  kind: Kind;
  name: string;
  createdAt: number;
  expiresAt?: number | null | undefined;
}

export const sha256 = (text: string): string => hash("sha256", text, "hex");

const BYTES = 32;

export const listWorkspaces = async (query: Query): Promise<string[]> =>
  (await query<{ name: string }>("SELECT name FROM workspaces ORDER BY name")).map(({ name }) => name);

/** @returns whether it is new */
export const addWorkspace = async (query: Query, name: string): Promise<boolean> => {
  const insert =
    "INSERT INTO workspaces (name, created_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING name";
  const added = await query(insert, [name, Date.now()]);
  if (added.length > 0) await moveGeneration(query);
  return added.length > 0;
};

/** Takes a workspace out with its tokens: a process that has read that no longer serves it, whoever else names it. */
export const removeWorkspace = async (query: Query, name: string): Promise<void> => {
  await query("DELETE FROM tokens WHERE workspace = $1", [name]);
  await query("DELETE FROM workspaces WHERE name = $1", [name]);
  await moveGeneration(query);
};

export const listTokens = (query: Query): Promise<Token[]> =>
  query<Token>(
    `SELECT digest, workspace, kind, name, created_at AS "createdAt", expires_at AS "expiresAt" FROM tokens
     ORDER BY workspace, name, created_at`,
  );

type NewToken = Pick<Token, "workspace" | "kind" | "name" | "expiresAt">;

/** Stores the digest of a new token; resolves to its text. @throws StartError when there is one of that name */
export const createToken = ({ transaction }: Database, token: NewToken): Promise<string> =>
  transaction(async (query) => {
    if ((await named(query, token)).length > 0)
      throw new StartError(
        `there is a token ${JSON.stringify(token.name)} in the workspace ${token.workspace} already`,
      );
    return insert(query, token);
  });

/**
 * Makes the next token of a name, for as long as the last one was made for, which goes on being taken for a while;
 * resolves to its text.
 *
 * @param keep milliseconds for which the last one is still taken
 * @throws StartError when there is none
 */
export const rotateToken = (
  { transaction }: Database,
  { workspace, name, keep }: Pick<Token, "workspace" | "name"> & { keep: number },
): Promise<string> =>
  transaction(async (query) => {
    const last = (await named(query, { workspace, name })).at(-1);
    if (last === undefined) throw new StartError(noToken(workspace, name));
    const now = Date.now();
    await query("UPDATE tokens SET expires_at = least(expires_at, $3) WHERE workspace = $1 AND name = $2", [
      workspace,
      name,
      now + keep,
    ]);
    const expiresAt = last.expiresAt && now + last.expiresAt - last.createdAt;
    return insert(query, { workspace, name, kind: last.kind, expiresAt });
  });

/** Takes out all tokens of a name. @throws StartError when there is none */
export const revokeToken = (
  { transaction }: Database,
  { workspace, name }: Pick<Token, "workspace" | "name">,
): Promise<void> =>
  transaction(async (query) => {
    const gone = await query("DELETE FROM tokens WHERE workspace = $1 AND name = $2 RETURNING digest", [
      workspace,
      name,
    ]);
    if (gone.length === 0) throw new StartError(noToken(workspace, name));
    await moveGeneration(query);
  });

const noToken = (workspace: string, name: string): string =>
  `there is no token ${JSON.stringify(name)} in the workspace ${workspace}`;

const named = async (query: Query, { workspace, name }: Pick<Token, "workspace" | "name">): Promise<Token[]> =>
  (await listTokens(query)).filter((one) => one.workspace === workspace && one.name === name);

const insert = async (query: Query, { workspace, kind, name, expiresAt }: NewToken): Promise<string> => {
  const text = randomBytes(BYTES).toString("base64url");
  await query(
    "INSERT INTO tokens (digest, workspace, kind, name, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
    [sha256(text), workspace, kind, name, Date.now(), expiresAt ?? null],
  );
  await moveGeneration(query);
  return text;
};

/** Who may ask for what, as the environment and the database say. */
export interface Access {
  isNew: boolean;
  isEmpty(): boolean;
  find(text: string): Token | undefined;
  hasAdmin(): boolean;
  workspaces(): readonly string[];
  /** Learns anew what the database says. */
  load(): Promise<void>;
}

type Config = Pick<
  ServiceConfig,
  "apiToken" | "accessToken" | "serverToken" | "adminToken" | "metricsToken" | "workspaces"
>;
export const tokensOf = (config: Config): Token[] =>
  [{ name: DEFAULT_WORKSPACE, ...config }, ...config.workspaces].flatMap(({ name: workspace, ...one }) =>
    KINDS.flatMap((kind) =>
      digests((one as Partial<Record<string, string>>)[`${kind}Token`]).map((digest) => ({
        digest,
        workspace,
        kind,
        createdAt: 0,
        name: `TRACKLET_${kind.toUpperCase()}_TOKEN`,
      })),
    ),
  );

export const isTaken = ({ expiresAt }: Token): boolean => Date.now() < (expiresAt ?? Number.POSITIVE_INFINITY);

/**
 * The tokens of the environment, whose workspaces are made where there are none, and those of the database. They are found by
 * their digests, so the time of a look-up does not tell how much of a guess is right.
 *
 * @throws StartError when a token of the environment stands in the database, too
 */
export const createAccess = async (query: Query, config: Config): Promise<Access> => {
  const own = tokensOf(config);
  const isNew = await addWorkspace(query, DEFAULT_WORKSPACE);
  for (const { name } of config.workspaces) await addWorkspace(query, name);
  const stored = new Map((await listTokens(query)).map((token) => [token.digest, token]));
  for (const digest of [...own.map(({ digest }) => digest), ...digests(config.metricsToken)]) {
    const same = stored.get(digest);
    if (same !== undefined)
      throw new StartError(
        `a token of the environment is the token ${JSON.stringify(same.name)} of the workspace ${same.workspace}: each token is for one thing`,
      );
  }

  let names: readonly string[] = [];
  let byDigest = new Map<string, Token>();
  /** Those that were sent and are right: so there are never more of them than tokens. */
  let sent = new Map<string, Token>();
  return {
    isNew,
    isEmpty: () => byDigest.size === 0,
    find: (text) => {
      const token = sent.get(text) ?? byDigest.get(sha256(text));
      if (token !== undefined) sent.set(text, token);
      return token !== undefined && isTaken(token) ? token : undefined;
    },
    hasAdmin: () => [...byDigest.values()].some(({ kind }) => kind === "admin"),
    workspaces: () => names,
    load: async () => {
      const [workspaces, tokens] = await Promise.all([listWorkspaces(query), listTokens(query)]);
      // What was deleted is served no more, though the environment of this process names it.
      const served = own.filter(({ workspace }) => workspaces.includes(workspace));
      names = workspaces;
      byDigest = new Map([...tokens, ...served].map((token) => [token.digest, token]));
      sent = new Map();
    },
  };
};

/** Of a value that holds one token, two with a comma between, or none. */
export const digests = (value: string | undefined): string[] => value?.split(",").map(sha256) ?? [];

declare module "fastify" {
  interface FastifyRequest {
    /** The workspace of the token that the request was sent with. */
    workspace: string;
    /** What that may do; nothing before it was found. */
    kind: Kind | undefined;
    tokenName: string;
    /** Is it of pages, and came as pages send it: in the URL? */
    isOfPage: boolean;
  }
}

/** The credentials of an `Authorization` header of each scheme; its name is case-insensitive (RFC 9110 §11.1). */
const BASIC = /^basic +(\S+) *$/i;
const BEARER = /^bearer +(\S+) *$/i;

/** Gives requests the members that the hooks below fill in. */
export const decorateWorkspace = (app: FastifyInstance): void => {
  app.decorateRequest("workspace", "");
  app.decorateRequest("kind", undefined);
  app.decorateRequest("tokenName", "");
  app.decorateRequest("isOfPage", false);
};

const use = (request: FastifyRequest, { workspace, kind, name }: Token): void => {
  request.workspace = workspace;
  request.kind = kind;
  request.tokenName = name;
};

/** Is it of a server of the operator's, whom no quota of an address bounds? */
export const isOfServer = ({ kind }: FastifyRequest): boolean => kind === "server" || kind === "admin";

/**
 * Hooks that let only the holder of a token of some kinds pass. They run after the rate limit, which slows down guessing, and
 * before the body is read.
 */
export const requireBearer = ({ find, hasAdmin }: Access, ...kinds: Kind[]): preParsingHookHandler => {
  const [what, realm] = kinds.includes("admin") ? ["admin", "admin"] : ["access", "records"];
  return (request, reply, _payload, done) => {
    // Where there is none at all, there is nothing to ask for.
    if (realm === "admin" && !hasAdmin()) return void reply.callNotFound();
    const text = BEARER.exec(request.headers.authorization ?? "")?.[1];
    const token = text === undefined ? undefined : find(text);
    if (token !== undefined && kinds.includes(token.kind)) {
      use(request, token);
      return done();
    }
    const [how, detail] = text === undefined ? ["missing", ""] : ["wrong", ', error="invalid_token"']; // RFC 6750 §3
    const other = token === undefined ? "" : `this one is of the kind ${token.kind}, `;
    done(
      new HttpError(401, `the ${what} token is ${how}: ${other}send Authorization: Bearer <token>`, {
        // `kind`, of a token of another one: for programs that have words of their own, as the pages have.
        "www-authenticate": `Bearer realm="${realm}"${detail}${token ? `, kind="${token.kind}"` : ""}`,
      }),
    );
  };
};

/**
 * Finds the token of an event, of a page or of a server: the `api_token` query parameter, or HTTP Basic with it as user name and an
 * empty password. The operator's is taken as one of a server.
 *
 * @throws HttpError 401 where it is none of these kinds
 */
export const requireApiToken = (request: FastifyRequest, { find }: Access, kinds: readonly Kind[]): void => {
  const { api_token: parameter } = request.query as { api_token?: unknown };
  const basic = BASIC.exec(request.headers.authorization ?? "")?.[1];
  const pair = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8");
  const user = pair?.endsWith(":") ? pair.slice(0, -1) : undefined;
  for (const text of [parameter, user]) {
    const token = typeof text === "string" ? find(text) : undefined;
    if (token === undefined || !kinds.includes(token.kind)) continue;
    // URLs stand in logs: the operator's is not taken from one.
    if (token.kind === "admin" && text !== user) continue;
    use(request, token);
    request.isOfPage = token.kind === "api" && text === parameter;
    return;
  }
  const given = parameter !== undefined || pair !== undefined;
  throw new HttpError(
    401,
    `the API token is ${given ? "wrong" : "missing"}: send ?api_token=<token>, or HTTP Basic with it as user name and an empty password`,
    // Asked for Basic, a browser shows its visitor a login window: never for a page that used the query parameter.
    {
      "www-authenticate": parameter === undefined ? 'Basic realm="events", charset="UTF-8"' : 'ApiToken realm="events"',
    },
  );
};
