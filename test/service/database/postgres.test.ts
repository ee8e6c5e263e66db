import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { runAt } from "../support/database.js";
import { startPostgres } from "../support/postgres.js";
import { type RunningService, startService, until } from "../support/service.js";

/** Two services over one server, which both find it empty at the same moment. */
let server: Awaited<ReturnType<typeof startPostgres>>;
let services: RunningService[] = [];
beforeAll(async () => {
  server = await startPostgres();
  services = await Promise.all([0, 1].map(() => startService({ databaseUrl: server.url })));
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await server.stop();
});
const empty = async (name: string) => {
  await runAt(server.url, `CREATE DATABASE ${name}`);
  return { databaseUrl: server.url.replace(/[^/]+$/, name), dataFolder: "" };
};

it("is made ready by several processes at once, and by no command", async () => {
  for (const name of ["first", "second", "third"]) {
    const place = await empty(name);
    const databases = await Promise.all(Array.from({ length: 6 }, () => openDatabase(place)));
    expect(await databases[0]!.query("SELECT 1 FROM events")).toEqual([]);
    await Promise.all(databases.map((database) => database.close()));
  }
  await expect(openDatabase(await empty("bare"), "tables")).rejects.toThrow(/no tables of the service/);
});

it.each([
  ["is gone", "ALTER TABLE events RENAME TO lost", "ALTER TABLE lost RENAME TO events"],
  [
    "has lost a column, as by a later version",
    "ALTER TABLE events RENAME stamp TO s",
    "ALTER TABLE events RENAME s TO stamp",
  ],
  ["only reads", "ALTER DATABASE postgres SET default_transaction_read_only = on", "ALTER DATABASE postgres RESET ALL"],
  ["is locked", "BEGIN; LOCK TABLE events", "COMMIT"],
])("is not ready while the table %s, and leaves nothing of its trials", async (_, spoil, mend) => {
  const admin = new pg.Client(server.url);
  await admin.connect();
  const ready = async (status: number) => until(async () => (await services[0]!.get("/readyz")).status === status);
  await ready(200);
  // Connections that are open keep what held when they were made.
  const reconnect = () =>
    admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'",
    );
  await admin.query("SET default_transaction_read_only = off");
  await admin.query(spoil);
  await reconnect();
  await ready(503);
  expect((await services[0]!.get("/healthz")).status).toBe(200);
  await admin.query(mend);
  await reconnect();
  await ready(200);
  expect((await admin.query("SELECT 1 FROM events WHERE workspace = ''")).rows).toEqual([]);
  await admin.end();
});

it("does not start where a pooler refuses what the connections of events ask for", async () => {
  const { port } = new URL(server.url);
  // As PgBouncer without ignore_startup_parameters; the message is of its own making.
  const pooler = createServer((client) =>
    client.once("data", (startup: Buffer) => {
      const parameter = /lock_timeout/.exec(startup.toString("latin1"))?.[0];
      if (parameter !== undefined) {
        const text = `SFATAL\0C08P01\0Munsupported startup parameter: ${parameter}\0\0`;
        const length = Buffer.alloc(4);
        length.writeUInt32BE(text.length + 4);
        return client.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(text)]));
      }
      const through = connect(Number(port), "127.0.0.1");
      through.write(startup);
      client.pipe(through).pipe(client);
    }),
  ).listen(0, "127.0.0.1");
  await once(pooler, "listening");
  const databaseUrl = server.url.replace(port, String((pooler.address() as AddressInfo).port));
  await expect(startService({ databaseUrl })).rejects.toThrow(
    /unsupported startup parameter: lock_timeout\): give PgBouncer ignore_startup_parameters = statement_timeout/,
  );
  pooler.close();
});
