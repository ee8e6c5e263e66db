/** Takes secrets out of a URL, before it is stored anywhere. */

/**
 * A decoded part of a query or fragment, with the character that begins it, that holds a secret: a name that speaks of one,
 * whole or as a word of a longer name, also within a nested URL or JSON; or the user and password of a nested URL.
 */
const SECRET =
  /(token|secret|passw|passc|passphr|signature|credential|sess(ion|id)|jwt|verifier|authoriz|api.?key)[^=:]*(=|":)|[^a-z](code|pass|pwd|auth|sig|otp|key|state|email|sid|pin|ticket)(\W|\[\w*\])*(=|":)|\/\/[^/]*@/i;

/** `text`, and once more with its words apart: of `authCode`, `Code` is one of its own. */
const spell = (text: string): string => `${text}:${text.replace(/[a-z](?=[A-Z])/g, "$&_")}`;

/**
 * Puts `REDACTED` in place of the values of secret parameters, in query, fragment and path, and removes user and password.
 *
 * Parts are decoded thrice before they are looked at, so that encoded names and nested URLs are recognised. `unescape` is
 * deprecated, but never throws at malformed escapes, as `decodeURIComponent` does.
 */
export const redact = (url: string): string =>
  url
    .replace(/^(\w+:\/\/)[^/?#]*@/, "$1")
    .replace(/;[^;/?#]+|[?&#][^&#]+/g, (part) =>
      SECRET.test(spell(unescape(unescape(unescape(part))))) ? part.replace(/[=%].*|$/, "=REDACTED") : part,
    );
