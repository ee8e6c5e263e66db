import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Another address of a server on this machine, which can be closed and opened again. */
export const openProxy = async (host: string) => {
  const { hostname, port } = new URL(`x://${host}`);
  const sockets = new Set<Socket>();
  let server: Server;
  const listen = async (at: number): Promise<number> => {
    server = createServer((client) => {
      const through = connect(Number(port), hostname);
      for (const [from, to] of [
        [client, through],
        [through, client],
      ] as const) {
        sockets.add(from);
        from
          .on("error", () => {})
          .on("close", () => {
            sockets.delete(from);
            to.destroy();
          });
        from.pipe(to);
      }
    }).listen(at, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const own = await listen(0);
  return {
    host: `127.0.0.1:${own}`,
    /** Those of clients and those of the server. */
    connections: () => sockets.size,
    /** Ends all connections, and refuses new ones. */
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
    open: () => listen(own),
  };
};

export type TcpProxy = Awaited<ReturnType<typeof openProxy>>;
