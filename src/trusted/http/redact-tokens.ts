/**
 * Replaces tokens by `***`, also where some or all of their characters are percent-encoded, once or several times over
 * (each time, `%` becomes `%25`): a service or a proxy may repeat a token in a redirect, a header or a message.
 */
export const redactTokens = (text: string, tokens: string[]): string =>
  tokens.reduce((redacted, token) => {
    const pattern = token.replace(/[\s\S]/g, (unit) => {
      const code = unit.charCodeAt(0).toString(16);
      return `(%(25)*${code}|\\u${code.padStart(4, "0")})`;
    });
    return redacted.replace(new RegExp(pattern, "gi"), "***");
  }, text);
