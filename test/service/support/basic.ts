/** The header by which a server sends its token: `token:`. Any text is a stamp of an event then. */
export const basic = (pair: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}`,
});
