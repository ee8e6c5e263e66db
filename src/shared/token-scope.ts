/**
 * Six letters and digits under which the rows of a token are filed: its hash in the manner of FNV-1a, of 32 bits (RFC 9923).
 * `crypto.subtle` is asynchronous, and not there on plain `http`.
 *
 * @param token as an option gives it; none counts as an empty one
 */
export const scopeOf = (token: unknown = ""): string => {
  const bytes = new TextEncoder().encode(`${token}`.trim());
  return (1e10 + bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 16_777_619), 1e10)).toString(36).slice(-6);
};
