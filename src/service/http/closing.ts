import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/** Milliseconds without a request after which a connection is taken for unused once the service closes. */
const LINGER_MS = 1_000;
/** Milliseconds that requests under way get to finish after that: with it and the closing of the database it is over in 5 s. */
const GRACE_MS = 3_000;
/** Turns of the event loop in which the service waits for one without a new connection. */
const MAX_TURNS = 1_000;

interface Closing {
  /** Milliseconds for which a connection without a request is kept. Default: 1 s */
  lingerMs?: number | undefined;
  /** Is called first of all. */
  begins(): void;
  /** Is called when no connection is taken any more. */
  listensNoMore(): void;
}

/**
 * Lets go of connections when the service closes, and cuts no request. A client that keeps a connection may send on it
 * at the moment in which it is closed, so the service goes on for a while, and each answer ends its connection: who is
 * told so sends nothing more on it. What carries no request meanwhile is let go, and only then no connection is taken
 * any more. Node's own closing cuts the first at once, and waits for those that never carried a request.
 */
export const closeConnections = (
  app: FastifyInstance,
  { lingerMs = LINGER_MS, begins, listensNoMore }: Closing,
): void => {
  /**
   * What each connection is answered with now. Entries come and go with connections, not with requests: a `Map` that changes
   * all the time leaves former tables behind, and they keep old responses in memory until the next full garbage collection.
   */
  const open = new Map<Socket, { response: ServerResponse | undefined }>();
  let taken = 0;
  let closing = false;
  let whenEmpty = (): void => {};

  const letGoWhenUnused = async (socket: Socket): Promise<void> => {
    await pass(lingerMs);
    if (open.get(socket)?.response === undefined) socket.destroy();
  };
  app.server.on("connection", (socket: Socket) => {
    open.set(socket, { response: undefined });
    taken += 1;
    socket.once("close", () => {
      open.delete(socket);
      if (open.size === 0) whenEmpty();
    });
    if (closing) void letGoWhenUnused(socket);
  });
  app.server.prependListener("request", ({ socket }, response) => {
    const connection = open.get(socket)!;
    connection.response = response;
    if (closing) response.shouldKeepAlive = false;
    response.once("close", () => {
      if (connection.response === response) connection.response = undefined;
      // Who was promised a kept connection, before, may be sending on it.
      if (!response.shouldKeepAlive) socket.destroySoon();
    });
  });
  app.addHook("preClose", async () => {
    closing = true;
    begins();
    for (const [socket, { response }] of open) {
      if (response?.headersSent === false) response.shouldKeepAlive = false;
      void letGoWhenUnused(socket);
    }
    const empty = new Promise<void>((resolve) => (whenEmpty = resolve));
    if (open.size > 0) await Promise.race([empty, pass(lingerMs)]);
    await untilNoneConnects(() => taken);
    listensNoMore();
    // One that is handed its connections does not count them: its end would not wait for requests under way.
    if (!app.server.listening && open.size > 0)
      await Promise.race([new Promise<void>((resolve) => (whenEmpty = resolve)), pass(GRACE_MS)]);
    void setTimeout(GRACE_MS, undefined, { ref: false }).then(() => app.server.closeAllConnections());
  });
};

/**
 * The system resets what waits to be taken when a server stops to listen: next to nothing after a turn without any.
 *
 * @param taken how many connections were taken
 */
export const untilNoneConnects = async (taken: () => number): Promise<void> => {
  for (let turn = 0, before = -1; turn < MAX_TURNS && before !== taken(); turn += 1) {
    before = taken();
    await setImmediate();
  }
};

/** Lets time pass, and then all be read that has arrived: timers come before it, immediates right after it. */
const pass = async (milliseconds: number): Promise<void> => {
  await setTimeout(milliseconds, undefined, { ref: false });
  await setImmediate();
};
