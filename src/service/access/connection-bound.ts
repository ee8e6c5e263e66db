import type { Server, Socket } from "node:net";
import { networkOf } from "./networks.js";

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
