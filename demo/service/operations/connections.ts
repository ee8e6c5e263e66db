import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Milliseconds that requests under way get to finish once the service closes. */
const GRACE_MS = 3_000;

/**
 * Lets go of connections when the service closes: at once of those without a request, of the others when it is
 * answered. Node's own closing waits, up to its time-outs, for a connection that never carried a request, and
 * browsers open such ones to have them at hand.
 */
export const closeConnections = (app: FastifyInstance): void => {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  let closing = false;

  app.server.on("connection", (socket: Socket) => {
    if (closing) return socket.destroy();
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.server.on("request", ({ socket }, response) => {
    busy.add(socket);
    response.once("close", () => {
      busy.delete(socket);
      if (closing) socket.destroySoon();
    });
  });
  app.addHook("preClose", async () => {
    closing = true;
    for (const socket of open) if (!busy.has(socket)) socket.destroy();
    setTimeout(() => app.server.closeAllConnections(), GRACE_MS).unref();
  });
};
