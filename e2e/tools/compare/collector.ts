import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { freePort } from "../../../test/support/ports.js";
import { corsHeaders } from "../../harness/fault.js";
import { createEither } from "../../harness/secure.js";
import type { Peer, Received } from "./peer.js";

export type Collector = Awaited<ReturnType<typeof startCollector>>;

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b;

/** The events of a request's body, as it came over the wire. */
export const eventsOf = (peer: Pick<Peer, "read">, url: string, body: Buffer): Received[] =>
  peer.read({ url, body: (isGzip(body) ? gunzipSync(body) : body).toString("utf8") });

/** Pages of any origin, with cookies, may send anything and read the answer. */
const headersFor = ({ headers }: IncomingMessage): Record<string, string> => ({
  ...corsHeaders(headers.origin),
  "access-control-allow-headers": headers["access-control-request-headers"] ?? "content-type",
  "access-control-max-age": "600",
});

/** Starts a service that answers as that of a tracker's maker does, and notes the events that it has taken. */
export const startCollector = async (peer: Peer) => {
  const taken: Received[] = [];
  const errors: string[] = [];
  let refused: string | undefined;

  const answer = async (request: IncomingMessage): Promise<[status: number, text: string]> => {
    const body = await buffer(request);
    if (request.method === "OPTIONS") return [204, ""];
    if (request.method !== "POST") return [200, JSON.stringify(peer.settle?.(`http://${request.headers.host}`) ?? {})];
    const events = eventsOf(peer, request.url!, body);
    if (events.some(({ name }) => name === refused)) return [500, '{"error":"cannot store this"}'];
    taken.push(...events);
    return [200, peer.answer ?? "{}"];
  };

  const server = createEither(false, await freePort(), (request, response) => {
    answer(request).then(
      ([status, text]) => {
        const own = status === 200 && request.method === "POST" ? peer.headers : {};
        response.writeHead(status, { ...headersFor(request), ...own }).end(text);
      },
      (error) => {
        // A request that this file does not understand would be counted as a loss.
        errors.push(`${request.method} ${request.url}: ${error}`);
        response.writeHead(400, headersFor(request)).end();
      },
    );
  });
  await server.open();

  return {
    url: server.url,
    /** What it has taken, in this order. */
    taken: taken as readonly Received[],
    has: (names: readonly string[]): boolean => names.every((name) => taken.some((event) => event.name === name)),
    /** Requests that it could not read. */
    errors: errors as readonly string[],
    /** From now on each request that holds this event is answered 500. */
    refuse: (name: string): void => {
      refused = name;
    },
    close: server.shut,
  };
};
