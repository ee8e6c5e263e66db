import type { Server, Socket } from "node:net";
import { networkOf } from "./limits.js";

/** Connections of one network at a time: of an office with thousands, who all look at one page. */
const MAX_CONNECTIONS = 1_000;

/**
 * Bounds the open connections of each client's network. Beyond the bound the one is closed whose last request is the
 * oldest, so that who comes anew from there gets in.
 *
 * @param isOurs whether an address is a web server in front or this machine: their connections are those of others
 */
export const boundConnections = (
  server: Server,
  isOurs: (address: string) => boolean,
  most = MAX_CONNECTIONS,
): void => {
  const open = new Map<string, Set<Socket>>();
  /** Each socket with those of its network, itself among them. */
  const beside = new WeakMap<Socket, Set<Socket>>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (isOurs(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const sockets = open.get(network) ?? new Set();
    open.set(network, sockets.add(socket));
    beside.set(socket, sockets);
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0 && open.get(network) === sockets) open.delete(network);
    });
    if (sockets.size <= most) return;
    const [oldest] = sockets;
    sockets.delete(oldest!);
    oldest!.destroy();
  });
  server.on("request", ({ socket }: { socket: Socket }) => {
    const sockets = beside.get(socket);
    // The latest stands last.
    if (sockets?.delete(socket)) sockets.add(socket);
  });
};
