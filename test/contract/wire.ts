import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as it came over the wire. */
export interface RawRequest {
  method: string;
  /** Path and query, undecoded. */
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A literal answer; its body goes out as it is written. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Answers a request, or leaves it unanswered by returning nothing. */
export type Answerer = (request: RawRequest, response: ServerResponse) => Reply | undefined;

export const JSON_TYPE = { "content-type": "application/json" };

/** An answer with that JSON body. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(body),
});

/** Gives the replies one after another, the last one for ever. */
export const inTurn = (...replies: (Reply | Answerer)[]): Answerer => {
  let next = 0;
  return (request, response) => {
    const reply = replies[Math.min(next, replies.length - 1)]!;
    next += 1;
    return typeof reply === "function" ? reply(request, response) : reply;
  };
};

/** Breaks the connection off. */
export const hangUp: Answerer = (_, response) => {
  response.socket?.destroy();
  return undefined;
};

/** Sends headers and a part of the body that they announce; then comes that end, or none. */
export const begin =
  (end: (response: ServerResponse) => void): Answerer =>
  (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"status":', () => end(response));
    return undefined;
  };

/** Leaves the request without an answer. */
export const silence: Answerer = () => undefined;

/** A bare HTTP server that knows nothing of the interface: it keeps what it was sent, and answers what it is told. */
interface Wire {
  url: string;
  requests: RawRequest[];
}

/** Runs a test against a server that answers so. */
export const withWire = async <T>(answer: Answerer, test: (wire: Wire) => Promise<T>): Promise<T> => {
  const requests: RawRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "", url: target = "", headers } = incoming;
    const request: RawRequest = { method, target, headers, body: await text(incoming) };
    requests.push(request);
    const reply = answer(request, response);
    if (reply) response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    return await test({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests });
  } finally {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
};

/** An address where nobody listens. */
export const deadAddress = (): Promise<string> => withWire(silence, async ({ url }) => url);
