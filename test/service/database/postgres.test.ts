import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { basic } from "../support/basic.js";
import { GIVEN, openServer } from "../support/places.js";
import { startPostgres } from "../support/postgres-server.js";
import { API_TOKEN, type EventRow, type RunningService, startService, until } from "../support/running-service.js";

/** Two services over one server, which both find it empty at the same moment. */
const twoServices = (open: () => Promise<{ url: string; leave(): Promise<void> }>) => {
  let services: RunningService[] = [];
  let close: () => Promise<void>;
  beforeAll(async () => {
    const { url, leave } = await open();
    close = leave;
    services = await Promise.all([0, 1].map(() => startService({ databaseUrl: url })));
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await close();
  });
  return () => services;
};
const list = async (service: RunningService, query = ""): Promise<EventRow[]> =>
  (await (await service.get(`/v2/events?limit=10000${query}`)).json()).data;

describe("two services", () => {
  const services = twoServices(openServer);

  it("stores each stamped event once when both services get them at the same time, in opposite orders", async () => {
    const posts = Array.from({ length: 200 }, (_, index) =>
      services().map((service, which) => {
        const number = which === 0 ? index : 199 - index;
        const params = { event_id: `race-${number}` };
        const event = { contact_uid: `shared-${number % 20}`, event_uid: "raced", params };
        return service.post(event, basic(`${API_TOKEN}:`), "");
      }),
    ).flat();
    expect(new Set((await Promise.all(posts)).map(({ status }) => status))).toEqual(new Set([200]));
    const rows = await list(services()[0]!, "&event_uid=raced");
    expect(rows.map(({ params }) => params.event_id).sort()).toEqual(
      Array.from({ length: 200 }, (_, index) => `race-${index}`).sort(),
    );
    expect(await list(services()[1]!, "&event_uid=raced")).toEqual(rows);
  });
});

describe.skipIf(GIVEN)("two services and their server", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  const services = twoServices(async () => {
    server = await startPostgres();
    return { url: server.url, leave: server.stop };
  });

  it("is made ready by several processes at once, one empty database after another", async () => {
    const admin = new pg.Client(server.url);
    await admin.connect();
    for (let round = 0; round < 12; round += 1) {
      const url = new URL(server.url);
      url.pathname = `/round_${round}`;
      await admin.query(`CREATE DATABASE round_${round}`);
      const databases = await Promise.all(
        Array.from({ length: 6 }, () => openDatabase({ databaseUrl: url.href, dataFolder: "" })),
      );
      expect(await databases[0]!.query("SELECT 1 FROM events")).toEqual([]);
      await Promise.all(databases.map((database) => database.close()));
    }
    await admin.end();
  });

  it("makes no tables for a command", async () => {
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query("CREATE DATABASE bare");
    await admin.end();
    const url = new URL(server.url);
    url.pathname = "/bare";
    await expect(openDatabase({ databaseUrl: url.href, dataFolder: "" }, "tables")).rejects.toThrow(
      /no tables of the service/,
    );
  });

  it.each([
    ["is gone", "ALTER TABLE events RENAME TO lost", "ALTER TABLE lost RENAME TO events"],
    [
      "has lost a column, as by a later version",
      "ALTER TABLE events RENAME stamp TO s",
      "ALTER TABLE events RENAME s TO stamp",
    ],
    [
      "only reads",
      "ALTER DATABASE postgres SET default_transaction_read_only = on",
      "ALTER DATABASE postgres RESET ALL",
    ],
    ["is locked", "BEGIN; LOCK TABLE events", "COMMIT"],
  ])("is not ready while the table %s, and leaves nothing of its trials", async (_, spoil, mend) => {
    const admin = new pg.Client(server.url);
    await admin.connect();
    const ready = async (status: number) =>
      until(async () => ((await services()[0]!.get("/readyz")).status === status ? true : undefined));
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
    expect((await services()[0]!.get("/healthz")).status).toBe(200);
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

  it("answers 503 with Retry-After while the server is away, and goes on when it is back", async () => {
    const event = { contact_uid: "contact-001", event_uid: "kept" };
    expect((await services()[0]!.post(event)).status).toBe(200);
    await server.halt();
    expect((await services()[0]!.get("/healthz")).status).toBe(200);
    for (const answer of [await services()[0]!.post(event), await services()[0]!.get("/v2/users")]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("2");
      expect(await answer.json()).toEqual({ error: expect.stringContaining("try again later") });
    }
    expect(await services()[0]!.metrics()).toContain(
      'tracklet_events_refused_total{reason="away",workspace="default"} 1\n',
    );
    await server.resume();
    await until(async () => ((await services()[0]!.get("/readyz")).status === 200 ? true : undefined));
    expect((await services()[0]!.post(event)).status).toBe(200);
    expect(await list(services()[1]!, "&event_uid=kept")).toHaveLength(2);
  });
});
