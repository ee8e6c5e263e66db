import type { FastifyInstance, preParsingHookHandler } from "fastify";
import { HttpError } from "../http/errors.js";
import type { Access, Tokens } from "./tokens.js";

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
 * Hooks that let only the holder of a token pass. They run after the rate limit, which slows down guessing, and
 * before the body is read.
 *
 * @param ofNumbers those for figures alone, where they may ask, too
 */
export const requireBearer =
  (tokens: Tokens, ofNumbers: Tokens = () => undefined): preParsingHookHandler =>
  (request, _reply, _payload, done) => {
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    const own = token === undefined ? undefined : tokens(token);
    const workspace = token === undefined ? undefined : (own ?? ofNumbers(token));
    if (workspace !== undefined) {
      request.workspace = workspace;
      request.isOfNumbers = own === undefined;
      return done();
    }
    const [text, detail] = token === undefined ? ["missing", ""] : ["wrong", ', error="invalid_token"']; // RFC 6750 §3
    done(
      new HttpError(401, `the access token is ${text}: send Authorization: Bearer <token>`, {
        "www-authenticate": `Bearer realm="records"${detail}`,
      }),
    );
  };

/** The same for the operator's token. Where there is none at all, there is nothing to ask for. */
export const requireAdmin =
  ({ admin, hasAdmin }: Access): preParsingHookHandler =>
  (request, reply, _payload, done) => {
    if (!hasAdmin()) return void reply.callNotFound();
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    const owner = token === undefined ? undefined : admin(token);
    if (owner === undefined)
      return done(
        new HttpError(
          401,
          `the admin token is ${token === undefined ? "missing" : "wrong"}: send Authorization: Bearer <token>`,
          {
            "www-authenticate": 'Bearer realm="admin"',
          },
        ),
      );
    request.workspace = owner.workspace;
    request.tokenName = owner.name;
    done();
  };

/**
 * The token of an event, of a page or of a server: the `api_token` query parameter, or HTTP Basic with it as user name and an
 * empty password.
 *
 * @param ofAdmin the operator's, where they may send, too: taken as one of a server
 */
export const requireApiToken =
  (tokens: Tokens, ofServers: Tokens, ofAdmin: Tokens = () => undefined): preParsingHookHandler =>
  (request, _reply, _payload, done) => {
    const { api_token: parameter } = request.query as { api_token?: unknown };
    const basic = BASIC.exec(request.headers.authorization ?? "")?.[1];
    const pair = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8");
    const user = pair?.endsWith(":") ? pair.slice(0, -1) : undefined;
    for (const token of [parameter, user]) {
      if (typeof token !== "string") continue;
      const ofPage = tokens(token);
      // No text is two kinds of token. URLs stand in logs: the operator's is not taken from one.
      const ofOperator = ofPage === undefined && token === user ? ofAdmin(token) : undefined;
      const workspace = ofPage ?? ofOperator ?? ofServers(token);
      if (workspace === undefined) continue;
      request.workspace = workspace;
      request.isOfServer = ofPage === undefined;
      request.isOfPage = ofPage !== undefined && token === parameter;
      request.isOfAdmin = ofOperator !== undefined;
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
