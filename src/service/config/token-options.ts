import { option } from "./option.js";

/** One token or two. A user name of HTTP Basic has neither a colon nor control characters (RFC 7617 §2). */
const API_TOKEN = {
  type: "string",
  pattern: String.raw`^[^:,"'\s\p{Cc}]+(,[^:,"'\s\p{Cc}]+)?$`,
  expected: "text without blanks, quotes and colons, or two such texts with a comma between",
  writeOnly: true,
} as const;
/** One token or two, see RFC 6750 §2.1. */
const BEARER = {
  type: "string",
  pattern: "^[A-Za-z0-9._~+/-]+=*(,[A-Za-z0-9._~+/-]+=*)?$",
  expected: "made of letters, digits and - . _ ~ + / =, or be two such tokens with a comma between",
  writeOnly: true,
} as const;
/** What a workspace may be called, as a pattern. */
export const WORKSPACE = "[a-z0-9-]{1,64}";

/** The options that say who may ask, and for what. */
export const TOKEN_OPTIONS = {
  apiToken: option("TRACKLET_API_TOKEN", "token that records events", {
    ...API_TOKEN,
    former: "token create website --kind api",
  }),
  accessToken: option("TRACKLET_ACCESS_TOKEN", "token that reads records", {
    ...BEARER,
    former: "token create owner --kind access",
  }),
  identity: option(
    "TRACKLET_IDENTITY",
    "proofs of who a contact is: `mark` stores whether they hold, `require` refuses what does not, `off` looks at none",
    { enum: ["off", "mark", "require"], default: "off" },
  ),
  identitySecret: option(
    "TRACKLET_IDENTITY_SECRET",
    "secret with which your servers sign these proofs, of 32 characters at least; or two, as `new,old`",
    {
      type: "string",
      pattern: String.raw`^[^,"'\s\p{Cc}]{32,}(,[^,"'\s\p{Cc}]{32,})?$`,
      expected: "text of at least 32 characters without blanks and quotes, or two such texts with a comma between",
      writeOnly: true,
    },
  ),
  serverToken: option(
    "TRACKLET_SERVER_TOKEN",
    "token that records events of your own servers, which no quota of an address counts",
    { ...API_TOKEN, former: "token create billing --kind server" },
  ),
  adminToken: option(
    "TRACKLET_ADMIN_TOKEN",
    "token that reads all of one person, erases it, changes records, and stores events with their own time",
    { ...BEARER, former: "token create maintenance --kind admin" },
  ),
  metricsToken: option("TRACKLET_METRICS_TOKEN", "token that reads `/metrics`", BEARER),
  workspaces: option("TRACKLET_WORKSPACES", "more pairs of tokens, each with its own data, as JSON (below)", {
    type: "object",
    former: "workspace create shop",
    // `default` has the tokens of the other variables.
    propertyNames: { pattern: `^(?!default$)${WORKSPACE}$` },
    additionalProperties: {
      type: "object",
      required: ["api_token", "access_token"],
      properties: { api_token: API_TOKEN, access_token: BEARER },
    },
    expected: 'JSON such as {"shop":{"api_token":"…","access_token":"…"}}, with names of a to z, digits and -',
    writeOnly: true,
    default: {},
  }),
} as const;
