import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
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
export const forward = (
  target: string,
  { method, path, headers, body }: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer },
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const length = body.length > 0 || method === "POST" ? { "content-length": body.length } : {};
    const outgoing = httpRequest(new URL(path, target), {
      method,
      headers: { ...endToEnd(headers), ...length },
      agent: false,
    });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 502,
          headers: endToEnd(incoming.headers),
          body: Buffer.concat(chunks),
        }),
      );
    });
    outgoing.end(body);
  });
