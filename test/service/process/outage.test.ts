import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres } from "../support/postgres-server.js";
import { until } from "../support/running-service.js";
import { metricsOf, postAsDemo, readAsDemo as read, spawnService } from "../support/service-process.js";
import { storedEvents } from "../support/stored-events.js";

/** Clients that post at the same time, so that several connections to the database are in use when it goes. */
const CLIENTS = 32;
/** Longer than the service waits for a lock, several times. */
const LOCKED_MS = 12_000;

describe("a service whose database goes under load", () => {
  let database: Awaited<ReturnType<typeof startPostgres>>;
  let service: ReturnType<typeof spawnService>;
  let url: string;
  beforeAll(async () => {
    database = await startPostgres();
    service = spawnService({ DATABASE_URL: database.url });
    url = await service.ready();
  });
  afterAll(async () => {
    await service?.stop("SIGTERM");
    await database?.stop();
  });

  const post = (event_uid: string, stamp: string) => postAsDemo(url, event_uid, { params: { event_id: stamp } });

  it("was ready after less than three seconds of work", async () => {
    const metrics = await metricsOf(url);
    // Seconds of the processor: those on the clock are the machine's as well.
    expect(Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1])).toBeLessThan(3);
  });

  /** Locks the table of events for a while, and looks who else gets in meanwhile. */
  const lock = async (): Promise<void> => {
    const [holder, look] = [new pg.Client(database.url), `SELECT count(*)::int AS count FROM pg_stat_activity`];
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("LOCK TABLE events");
    const asked: Promise<number>[] = [];
    for (const until = Date.now() + LOCKED_MS; Date.now() < until; ) {
      // Look-ups take the connections that events leave.
      asked.push(read(`${url}/v2/events`).then(({ status }) => status));
      const other = new pg.Client(database.url);
      await other.connect();
      const [row] = (await other.query(`${look} WHERE backend_type = 'client backend'`)).rows;
      // Eight of the service, the holder, this client; a backend that ends is still there for a moment.
      expect(row.count).toBeLessThan(15);
      await other.end();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await holder.end();
    expect(await Promise.all(asked)).toContain(503);
  };

  it.each([
    ["is restarted", "halt"],
    ["is killed", "crash"],
    ["has a table that somebody locks", "lock"],
  ] as const)(
    "answers 503 with Retry-After while it %s, goes on afterwards, and loses and repeats nothing",
    async (_, end) => {
      let stopped = false;
      let delivered = 0;
      const sent: string[] = [];
      const refusals: { status: number; retryAfter: string | null; body: unknown }[] = [];
      /** Sends one event after another, each of them until it is answered with 200. */
      const client = async (name: number): Promise<void> => {
        for (let number = 0; !stopped; number += 1) {
          const stamp = `${end}-${name}-${number}`;
          sent.push(stamp);
          for (;;) {
            const answer = await post(end, stamp);
            const body = await answer.json();
            if (answer.status === 200) break;
            refusals.push({ status: answer.status, retryAfter: answer.headers.get("retry-after"), body });
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          delivered += 1;
        }
      };
      const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)));
      const rounds = async (): Promise<void> => {
        for (let round = 0; round < (end === "lock" ? 1 : 2); round += 1) {
          const before = delivered;
          await until(() => delivered > before + 2 * CLIENTS || undefined);
          const refused = refusals.length;
          if (end === "lock") await lock();
          else await database[end]();
          await until(() => refusals.length > refused || undefined);
          // A live page asks for something else at the same time.
          if (end === "lock") continue;
          expect((await read(`${url}/v2/events`)).status).toBe(503);
          await database.resume();
        }
        const before = delivered;
        await until(() => delivered > before + 2 * CLIENTS || undefined);
      };
      // The clients end first where the service has died.
      await Promise.race([rounds(), clients]);
      stopped = true;
      await clients;

      expect(service.child.exitCode).toBeNull();
      for (const refusal of refusals)
        expect(refusal).toEqual({
          status: 503,
          retryAfter: "2",
          body: { error: "the service cannot store or read now, try again later" },
        });
      const stored = (await storedEvents({ dataFolder: "", databaseUrl: database.url }, end)).map(
        ({ params }) => params.event_id,
      );
      expect(stored.sort()).toEqual(sent.sort());
    },
  );
});

it("answers 503 once the database takes its user no more, and says so once a minute", async () => {
  const database = await startPostgres();
  const admin = new pg.Client(database.url);
  await admin.connect();
  await admin.query("CREATE ROLE app SUPERUSER LOGIN");
  const url = new URL(database.url);
  url.username = "app";
  const service = spawnService({ DATABASE_URL: url.href });
  const at = await service.ready();
  // As a password that was changed under way: each new connection is refused.
  await admin.query("ALTER ROLE app NOLOGIN");
  await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
  const away = () =>
    service
      .stdout()
      .split("\n")
      .filter((line) => line.includes('"fault":"password"'));
  await until(async () => {
    expect((await postAsDemo(at, "refused")).status).toBe(503);
    return away().length > 0 || undefined;
  });
  for (let number = 0; number < 20; number += 1) expect((await postAsDemo(at, "refused")).status).toBe(503);
  expect(away()).toEqual([expect.stringContaining("it does not take the user and the password of DATABASE_URL")]);
  await admin.query("ALTER ROLE app LOGIN");
  await until(async () => (await postAsDemo(at, "taken")).status === 200 || undefined);
  await service.stop("SIGTERM");
  await admin.end();
  await database.stop();
});
