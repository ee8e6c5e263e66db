import type { Server, Socket } from "node:net";
import { networkOf } from "./limits.js";

/** Connections of one network at a time: of an office with thousands, who all look at one page. */
const MAX_CONNECTIONS = 1_000;
/** Of all networks together, in each process: a server has files for so many, and for its database. */
const MAX_ALL = 10_000;

/**
 * Bounds the open connections of each client's network, and of all. Beyond a bound the one is closed whose last request is the
 * oldest: of this network, or of the one that has most, so that who comes anew gets in.
 *
 * @param isOurs whether an address is a web server in front or this machine: their connections are those of others
 */
export const boundConnections = (
  server: Server,
  isOurs: (address: string) => boolean,
  { most, all } = { most: MAX_CONNECTIONS, all: MAX_ALL },
): void => {
  const open = new Map<string, Set<Socket>>();
  let count = 0;
  const close = (sockets: Set<Socket>): void => {
    const [oldest] = sockets;
    sockets.delete(oldest!);
    oldest!.destroy();
  };
  /** Each socket with those of its network, itself among them. */
  const beside = new WeakMap<Socket, Set<Socket>>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (isOurs(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const sockets = open.get(network) ?? new Set();
    open.set(network, sockets.add(socket));
    beside.set(socket, sockets);
    count += 1;
    socket.once("close", () => {
      count -= 1;
      sockets.delete(socket);
      if (sockets.size === 0 && open.get(network) === sockets) open.delete(network);
    });
    if (sockets.size > most) close(sockets);
    else if (count > all) close([...open.values()].reduce((a, b) => (b.size > a.size ? b : a)));
  });
  server.on("request", ({ socket }: { socket: Socket }) => {
    const sockets = beside.get(socket);
    // The latest stands last.
    if (sockets?.delete(socket)) sockets.add(socket);
  });
};

/** Bytes of all bodies under way that are held at a time, in each process, or four of the largest. */
const MAX_HELD = 64 * 2 ** 20;
/** What a piece takes beside its bytes, so that bodies that come letter by letter count for what they cost. */
const PIECE = 256;

interface Body {
  network: string;
  began: number;
  bytes: number;
  cut(): void;
}

/** Tells of a body's pieces, and of its end, however it ends. */
export interface Holding {
  add(bytes: number): void;
  end(): void;
}

/**
 * Bounds the bytes of all bodies that are under way: who begins many and ends none fills no memory. Beyond the bound, the
 * slowest body of the network that holds most is cut, so that nobody is shut out by another one.
 *
 * @param largest bytes of the largest body that is taken
 * @returns is told of each body: its client's network, and how to refuse it
 */
export const createHeld = (largest: number): ((network: string, cut: () => void) => Holding) => {
  const most = Math.max(MAX_HELD, 4 * largest);
  const bodies = new Set<Body>();
  let held = 0;

  const drop = (body: Body): void => {
    if (bodies.delete(body)) held -= body.bytes;
  };
  const slowest = (): Body => {
    const sums = new Map<string, number>();
    for (const { network, bytes } of bodies) sums.set(network, (sums.get(network) ?? 0) + bytes);
    const [greediest] = [...sums].reduce((a, b) => (b[1] > a[1] ? b : a));
    const now = performance.now();
    const speed = ({ bytes, began }: Body) => bytes / (now - began);
    return [...bodies].filter(({ network }) => network === greediest).reduce((a, b) => (speed(b) < speed(a) ? b : a));
  };

  return (network, cut) => {
    const body = { network, began: performance.now(), bytes: 0, cut };
    bodies.add(body);
    return {
      add: (bytes) => {
        if (!bodies.has(body)) return;
        body.bytes += bytes + PIECE;
        held += bytes + PIECE;
        while (held > most) {
          const one = slowest();
          drop(one);
          one.cut();
        }
      },
      end: () => drop(body),
    };
  };
};
