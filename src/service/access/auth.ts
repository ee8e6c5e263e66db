import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from "fastify";
import { HttpError } from "../http/error-answers.js";
import type { Access, Kind, Token } from "./tokens.js";

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
