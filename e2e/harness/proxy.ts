import { once } from "node:events";
import { request as ask, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { freePort } from "../../test/support/ports.js";
import { waitFor } from "../../test/support/wait.js";
import { type Fault, type Faults, type RecordedRequest, type Reply, replyOf } from "./fault.js";
import { createEither } from "./secure.js";
import { answerMs, networkMs } from "./strain.js";

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
const forward = async (
  target: string,
  { method, path, headers, body }: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer },
): Promise<Reply> => {
  const outgoing = ask(new URL(path, target), { method, headers: endToEnd(headers), agent: false });
  outgoing.end(body);
  const [incoming]: IncomingMessage[] = await once(outgoing, "response");
  const { statusCode, headers: answered } = incoming!;
  return { status: statusCode!, headers: endToEnd(answered), body: await buffer(incoming!) };
};

interface ProxyOptions {
  /** Address of the service. */
  target: string;
  /**
   * Default `false`: every answer says `Connection: close`, so that each request comes on a fresh connection. A browser
   * repeats a POST by itself when a *reused* connection breaks before the answer begins (RFC 9110 §9.2.2 lets it guess
   * that the server had closed an idle one); on a fresh connection it never does, and what is counted under `reset` and
   * `store-then-cut` is the tracker's doing alone. `true` keeps connections, as services do.
   */
  keepConnections?: boolean;
  /** Default `false`. `true`: by HTTP/2 with TLS, on connections that are kept. */
  isSecure?: boolean;
  /** The address that it listens at. Default: the loopback's. */
  host?: string;
}

export type FaultProxy = Awaited<ReturnType<typeof startProxy>>;

const parse = (body: string): RecordedRequest["event"] => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Breaks a request off: its connection, or by HTTP/2 its stream alone. */
const cutOff = (response: ServerResponse): void => {
  const { stream } = response as unknown as Partial<Http2ServerResponse>;
  if (stream) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.socket?.resetAndDestroy();
};

/** Starts a proxy before the service, on a port of its own: it records every request and injects faults. */
export const startProxy = async ({ target, keepConnections = false, isSecure = false, host }: ProxyOptions) => {
  const requests: RecordedRequest[] = [];
  let faults: Faults = "pass";

  const chosen = (request: RecordedRequest): Exclude<Fault, string> => {
    const now = faults;
    if (now === "refuse") return { connection: "reset" };
    const given = (typeof now === "function" ? now(request) : now) ?? "pass";
    const fault = typeof given === "string" ? { connection: given } : given;
    const spared = request.method === "OPTIONS" && fault.preflight !== "fault";
    return spared ? { connection: "pass" } : fault;
  };

  const serve = async (request: RecordedRequest, raw: Buffer, response: ServerResponse): Promise<void> => {
    const cut = () => cutOff(response);
    const answer = (reply: Reply) => {
      if (response.destroyed) return;
      request.status = reply.status;
      response.writeHead(reply.status, {
        ...reply.headers,
        "content-length": reply.body.length,
        ...(keepConnections || isSecure ? {} : { connection: "close" }),
      });
      response.end(reply.body);
    };
    const askService = async (): Promise<Reply> => {
      const { method, url: path, headers } = request;
      const reply = await forward(target, { method, path, headers, body: raw });
      if (answerMs) await sleep(answerMs);
      return reply;
    };

    const fault = chosen(request);
    const delayMs = (fault.delayMs ?? 0) + networkMs();
    if (delayMs) await sleep(delayMs);
    await fault.until;
    if ("status" in fault) return answer(replyOf(fault, request.headers.origin));
    switch (fault.connection) {
      case "pass":
        return answer(await askService());
      case "store-then-cut":
        await askService();
        cut();
        return;
      case "reset":
        cut();
        return;
      case "hang":
        request.hanging = true;
        return;
    }
  };

  const receive = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request: RecordedRequest = {
      method: incoming.method ?? "",
      url: incoming.url ?? "",
      headers: incoming.headers,
      body: "",
      event: undefined,
      events: [],
      status: undefined,
      hanging: false,
      ended: false,
    };
    requests.push(request);
    response.on("close", () => {
      request.ended = true;
    });
    try {
      const raw = await buffer(incoming);
      const isZipped = raw[0] === 0x1f && raw[1] === 0x8b;
      request.body = (isZipped ? gunzipSync(raw) : raw).toString("utf8");
      request.event = parse(request.body);
      request.events = request.event ? [request.event].flat() : [];
      await serve(request, raw, response);
    } catch {
      // The browser gave up while sending, or the service is gone: either way this connection has no answer.
      cutOff(response);
    }
  };

  const server = createEither(
    isSecure,
    await freePort(),
    (incoming, response) => void receive(incoming, response),
    host,
  );
  await server.open();

  const posts = (eventUid?: string) =>
    requests.filter(
      ({ method, events }) =>
        method === "POST" && (eventUid === undefined || events.some(({ event_uid }) => event_uid === eventUid)),
    );

  const proxy = {
    /** Its address: what a page is given as track URL. */
    url: server.url,
    /** Everything that arrived, in the order of arrival. */
    requests: requests as readonly RecordedRequest[],
    /** The POSTs among them; with an argument only those of this `event_uid`. */
    posts,

    /** Injects a fault for every request that arrives from now on, until the next `fail` or `heal`. */
    fail: async (next: Faults): Promise<void> => {
      const before = faults;
      faults = next;
      if (next === "refuse" && before !== "refuse") await server.shut();
      if (next !== "refuse" && before === "refuse") await server.open();
    },
    /** Lifts the fault. Requests that already hang go on hanging, as with a real outage. */
    heal: (): Promise<void> => proxy.fail("pass"),
    /** Injects a fault while `action` runs, and lifts it afterwards. */
    during: async <T>(fault: Faults, action: () => Promise<T>): Promise<T> => {
      await proxy.fail(fault);
      try {
        return await action();
      } finally {
        await proxy.heal();
      }
    },

    /** Waits until at least `count` POSTs (of this `event_uid`) have arrived, and returns them. */
    waitForPosts: async (count: number, eventUid?: string): Promise<RecordedRequest[]> => {
      const what = `${count} POSTs${eventUid ? ` of ${eventUid}` : ""} at the proxy`;
      await waitFor(() => posts(eventUid).length >= count, { what });
      return posts(eventUid);
    },
    /**
     * Waits until no request is open and none has come for `forMs` (default 1,000): what is under way has landed. A busy
     * browser may take half a second from a preflight to its request. Those that hang by a fault do not count, nothing will
     * come of them.
     */
    quiet: async (forMs = 1_000): Promise<void> => {
      let since = performance.now();
      let seen = requests.length;
      await waitFor(
        () => {
          const busy = requests.length !== seen || requests.some(({ ended, hanging }) => !ended && !hanging);
          if (busy) since = performance.now();
          seen = requests.length;
          return performance.now() - since >= forMs;
        },
        { what: "the proxy to become quiet" },
      );
    },

    close: server.shut,
  };
  return proxy;
};
