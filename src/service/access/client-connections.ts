import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { networkOf } from "./limits.js";

/** Connections of one network at a time: of an office with thousands, who all look at one page. */
const MAX_CONNECTIONS = 1_000;
/** Of all networks together, in each process: a server has files for so many, and for its database. */
const MAX_ALL = 10_000;
/** Milliseconds without a request after which a connection is taken for unused once the service closes. */
const LINGER_MS = 1_000;
/** Milliseconds that requests under way get to finish after that: with it and the closing of the database it is over in 5 s. */
const GRACE_MS = 3_000;
/** Turns of the event loop in which the service waits for one without a new connection. */
const MAX_TURNS = 1_000;

interface Connection {
  /** What it is answered with now; not longer, or old ones would fill the memory. */
  response: ServerResponse | undefined;
  /** Those of its network, itself among them; the one whose request is the latest stands last. */
  beside: Set<Socket> | undefined;
}

interface Keeping {
  /** Is an address a web server in front, or this machine? Their connections are those of others, and not bounded. */
  isOurs(address: string): boolean;
  /** Connections of one network, and of all. Default: 1,000 and 10,000 */
  most?: number;
  all?: number;
  /** Milliseconds for which a connection without a request is kept once the service closes. Default: 1 s */
  lingerMs?: number | undefined;
  /** Is called first of all when it closes. */
  begins(): void;
  /** Is called when no connection is taken any more. */
  listensNoMore(): void;
}

/**
 * Bounds the open connections of each client's network, and of all. Beyond a bound the one is closed whose last request is the
 * oldest: of this network, or of the one that has most, so that who comes anew gets in.
 *
 * Lets go of them when the service closes, and cuts no request. A client that keeps a connection may send on it
 * at the moment in which it is closed, so the service goes on for a while, and each answer ends its connection: who is
 * told so sends nothing more on it. What carries no request meanwhile is let go, and only then no connection is taken
 * any more. Node's own closing cuts the first at once, and waits for those that never carried a request.
 */
export const keepConnections = (
  app: FastifyInstance,
  { isOurs, most = MAX_CONNECTIONS, all = MAX_ALL, lingerMs = LINGER_MS, begins, listensNoMore }: Keeping,
): void => {
  const open = new Map<Socket, Connection>();
  const networks = new Map<string, Set<Socket>>();
  let bounded = 0;
  let taken = 0;
  let closing = false;
  let whenEmpty = (): void => {};

  const close = (sockets: Set<Socket>): void => {
    const [oldest] = sockets;
    sockets.delete(oldest!);
    oldest!.destroy();
  };
  /** Puts one among those of its network. @returns takes it out */
  const bound = (socket: Socket, network: string): [beside: Set<Socket>, leave: () => void] => {
    const beside = networks.get(network) ?? new Set();
    networks.set(network, beside.add(socket));
    bounded += 1;
    if (beside.size > most) close(beside);
    else if (bounded > all) close([...networks.values()].reduce((a, b) => (b.size > a.size ? b : a)));
    const leave = (): void => {
      bounded -= 1;
      beside.delete(socket);
      if (beside.size === 0 && networks.get(network) === beside) networks.delete(network);
    };
    return [beside, leave];
  };
  const letGoWhenUnused = async (socket: Socket): Promise<void> => {
    await pass(lingerMs);
    if (open.get(socket)?.response === undefined) socket.destroy();
  };
  app.server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    const [beside, leave] = isOurs(remoteAddress) ? [] : bound(socket, networkOf(remoteAddress));
    open.set(socket, { response: undefined, beside });
    taken += 1;
    socket.once("close", () => {
      open.delete(socket);
      leave?.();
      if (open.size === 0) whenEmpty();
    });
    if (closing) void letGoWhenUnused(socket);
  });
  app.server.prependListener("request", ({ socket }, response) => {
    const connection = open.get(socket)!;
    connection.response = response;
    if (connection.beside?.delete(socket)) connection.beside.add(socket);
    if (closing) response.shouldKeepAlive = false;
    response.once("close", () => {
      if (connection.response === response) connection.response = undefined;
    });
  });
  app.addHook("preClose", async () => {
    closing = true;
    begins();
    for (const [socket, { response }] of open) {
      // Who was promised a kept connection, before, may be sending on it.
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
