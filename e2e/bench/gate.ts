import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Passes connections on to a port as they are, which costs far less than a proxy that reads requests; while it is shut
 * it breaks them.
 */
export const openGate = async (target: string) => {
  const { hostname: host, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isShut = false;
  let broken = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const server = createServer({ noDelay: true }, (inside) => {
    keep(inside);
    if (isShut) {
      broken++;
      inside.resetAndDestroy();
      return;
    }
    const outside = keep(connect({ host, port: Number(port), noDelay: true }));
    inside.pipe(outside).pipe(inside);
    inside.on("close", () => outside.destroy());
    outside.on("close", () => inside.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Connections broken so far. */
    broken: (): number => broken,
    shut: (): void => {
      isShut = true;
      for (const socket of sockets) socket.destroy();
    },
    open: (): void => {
      isShut = false;
    },
    close: async (): Promise<void> => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
