import { connect } from "node:net";
import { join } from "node:path";
import type pg from "pg";
import type { Addresses } from "./addresses.js";

/** What waits for a place, at most. */
const MAX_WAITING = 200;

/** As of a server that stops: whoever asks is answered 503. */
const refused = (text: string): Error => Object.assign(new Error(text), { code: "57P01" });

/** Gives so many places, so that what is not urgent leaves connections to events. */
export const createBeside = (use: Addresses["use"], places: number) => {
  let free = places;
  let isOver = false;
  const waiting: (() => void)[] = [];
  const under = new Set<pg.PoolClient>();
  const take = async (): Promise<void> => {
    if (waiting.length >= MAX_WAITING) throw refused("too many questions wait already");
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    /** Calls `work` with a connection once a place is free. */
    use: async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
      await take();
      try {
        if (isOver) throw refused("the service ends");
        return await use((client) => {
          if (isOver) throw refused("the service ends");
          under.add(client);
          return work(client).finally(() => under.delete(client));
        });
      } finally {
        give();
      }
    },
    /** Cancels what is under way, and refuses what waits or comes. */
    cancel: (): void => {
      isOver = true;
      for (const client of under) cancel(client);
    },
  };
};

interface Wire {
  processID: number;
  secretKey: number;
  host: string;
  port: number;
  connection: { stream: { destroy(): void } };
}

/** Of a CancelRequest, which goes by a connection of its own (PostgreSQL §54.2.8). */
const CANCEL = 80_877_102;

/** Ends a connection, and tells the server to end its statement, which would go on. A pooler in between hands that on. */
const cancel = (client: pg.PoolClient): void => {
  const { processID, secretKey, host, port, connection } = client as unknown as Wire;
  const request = Buffer.alloc(16);
  for (const [at, value] of [request.length, CANCEL, processID, secretKey].entries())
    request.writeInt32BE(value, 4 * at);
  const socket = host.startsWith("/") ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
  socket.on("error", () => {});
  socket.end(request);
  connection.stream.destroy();
};
