import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Reply } from "./fault.js";

// Headers that belong to one connection, not to the message (RFC 9110 §7.6.1).
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "host", "content-length"];
/** Those of HTTP/2 that are no headers of a message: `:method`, `:path`. */
const PSEUDO = ":";

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name) && !name.startsWith(PSEUDO)),
  );

/**
 * Sends one request to the service on a connection of its own and resolves to the whole answer; rejects when the
 * service is gone or goes away meanwhile.
 */
export const forward = async (
  target: string,
  { method, path, headers, body }: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer },
): Promise<Reply> => {
  const outgoing = request(new URL(path, target), { method, headers: endToEnd(headers), agent: false });
  outgoing.end(body);
  const [incoming]: IncomingMessage[] = await once(outgoing, "response");
  const { statusCode, headers: answered } = incoming!;
  return { status: statusCode!, headers: endToEnd(answered), body: await buffer(incoming!) };
};
