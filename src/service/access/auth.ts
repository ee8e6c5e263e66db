import type { FastifyInstance, preParsingHookHandler } from "fastify";
import { HttpError } from "../http/errors.js";
import type { Access, Kind } from "./tokens.js";

declare module "fastify" {
  interface FastifyRequest {
    /** May it have figures alone, and no uid? */
    isOfNumbers: boolean;
    /** The workspace of the token that the request was sent with. */
    workspace: string;
    /** Has it the token of a server of the operator's? */
    isOfServer: boolean;
    /** Has it the token of pages, as pages send it: in the URL? */
    isOfPage: boolean;
    /** Has it the token of the operator? */
    isOfAdmin: boolean;
    /** The name of the operator's token. */
    tokenName: string;
  }
}

/** The credentials of an `Authorization` header of each scheme; its name is case-insensitive (RFC 9110 §11.1). */
const BASIC = /^basic +(\S+) *$/i;
const BEARER = /^bearer +(\S+) *$/i;

/** Gives requests the member that the hooks below fill in. */
export const decorateWorkspace = (app: FastifyInstance): void => {
  app.decorateRequest("workspace", "");
  app.decorateRequest("isOfNumbers", false);
  app.decorateRequest("isOfServer", false);
  app.decorateRequest("isOfPage", false);
  app.decorateRequest("isOfAdmin", false);
  app.decorateRequest("tokenName", "");
};

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
      request.workspace = token.workspace;
      request.tokenName = token.name;
      request.isOfNumbers = token.kind === "numbers";
      return done();
    }
    const [how, detail] = text === undefined ? ["missing", ""] : ["wrong", ', error="invalid_token"']; // RFC 6750 §3
    done(
      new HttpError(401, `the ${what} token is ${how}: send Authorization: Bearer <token>`, {
        "www-authenticate": `Bearer realm="${realm}"${detail}`,
      }),
    );
  };
};

/**
 * The token of an event, of a page or of a server: the `api_token` query parameter, or HTTP Basic with it as user name and an
 * empty password. The operator's is taken as one of a server.
 */
export const requireApiToken =
  ({ find }: Access, ...kinds: Kind[]): preParsingHookHandler =>
  (request, _reply, _payload, done) => {
    const { api_token: parameter } = request.query as { api_token?: unknown };
    const basic = BASIC.exec(request.headers.authorization ?? "")?.[1];
    const pair = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8");
    const user = pair?.endsWith(":") ? pair.slice(0, -1) : undefined;
    for (const text of [parameter, user]) {
      const token = typeof text === "string" ? find(text) : undefined;
      if (token === undefined || !kinds.includes(token.kind)) continue;
      // URLs stand in logs: the operator's is not taken from one.
      if (token.kind === "admin" && text !== user) continue;
      request.workspace = token.workspace;
      request.isOfServer = token.kind !== "api";
      request.isOfPage = token.kind === "api" && text === parameter;
      request.isOfAdmin = token.kind === "admin";
      return done();
    }
    const given = parameter !== undefined || pair !== undefined;
    done(
      new HttpError(
        401,
        `the API token is ${given ? "wrong" : "missing"}: send ?api_token=<token>, or HTTP Basic with it as user name and an empty password`,
        // Asked for Basic, a browser shows its visitor a login window: never for a page that used the query parameter.
        {
          "www-authenticate":
            parameter === undefined ? 'Basic realm="events", charset="UTF-8"' : 'ApiToken realm="events"',
        },
      ),
    );
  };
