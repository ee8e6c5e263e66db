import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPgliteDatabase } from "../../database/pglite/pglite-database.js";
import { missing, startPostgres } from "../support/postgres-server.js";
import { until } from "../support/running-service.js";
import { SERVICE, spawnService } from "../support/service-process.js";
import { cannotMount, smallDisk } from "../support/small-disk.js";

const post = (url: string, event_uid: string, text = ""): Promise<Response> =>
  fetch(`${url}/v1/track/event?api_token=demo-api-token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ contact_uid: "contact-001", event_uid, params: { text } }),
  });
const stored = async (url: string): Promise<string[]> => {
  const { events } = (await (await fetch(`${url}/demo/events?limit=10000`)).json()) as {
    events: { event_uid: string }[];
  };
  return events.map(({ event_uid }) => event_uid);
};

describe.skipIf(cannotMount !== undefined)(`a full disk${cannotMount ? `: ${cannotMount}` : ""}`, () => {
  /** Sends until it is refused, empties the disk, and sends until it is stored again. */
  const goesThrough = async (
    service: ReturnType<typeof spawnService>,
    disk: ReturnType<typeof smallDisk>,
    { left, told, revive = async () => {} }: { left: number; told: RegExp; revive?: () => Promise<unknown> },
  ): Promise<void> => {
    const url = await service.ready();
    const acknowledged: string[] = [];
    const send = async (name: string, text?: string) => {
      const answer = await post(url, name, text);
      if (answer.status === 200) acknowledged.push(name);
      else expect(answer.status).toBe(503);
      return answer.status;
    };
    expect(await send("before")).toBe(200);
    disk.fill(left);
    let number = 0;
    await until(async () =>
      (await send(`full-${number++}`, randomBytes(100_000).toString("hex"))) === 503 ? true : undefined,
    );
    disk.empty();
    await until(async () => {
      await revive();
      return (await send(`after-${number++}`)) === 200 ? true : undefined;
    });
    expect(await stored(url)).toEqual(acknowledged);
    const { code, stdout } = await service.stop("SIGTERM");
    expect(code).toBe(0);
    expect(stdout).toMatch(told);
  };

  describe("of the embedded database", () => {
    let disk: ReturnType<typeof smallDisk>;
    beforeAll(() => {
      disk = smallDisk(256);
    });
    afterAll(() => disk.remove());
    it("is answered with 503 and told; it goes on when there is room", async () => {
      const service = spawnService({ TRACKLET_DATA: join(disk.folder, "data"), TRACKLET_SEED: "off" });
      await goesThrough(service, disk, { left: 66 * 2 ** 20, told: /"fault":"disk"/ });
    });
  });

  describe.skipIf(missing !== undefined)("of PostgreSQL", () => {
    let disk: ReturnType<typeof smallDisk>;
    let server: Awaited<ReturnType<typeof startPostgres>>;
    beforeAll(async () => {
      disk = smallDisk(128);
      server = await startPostgres({ folder: disk.folder });
    });
    afterAll(async () => {
      await server.stop();
      disk.remove();
    });
    it("is answered with 503 and told; it goes on when there is room", () =>
      goesThrough(spawnService({ DATABASE_URL: server.url }), disk, {
        left: 2 ** 20,
        // Without room for its log it ends, and its connections with it.
        told: /"fault":"(disk|restart|connection)"/,
        // Without room it cannot begin again by itself: whoever runs it starts it.
        revive: async () => server.hasEnded() && server.resume(),
      }));
  });
});

describe("an embedded database that does not answer", () => {
  const folder = mkdtempSync(join(tmpdir(), "tracklet-stuck-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  /** Takes for ever. */
  const STUCK = "SELECT count(*) FROM generate_series(1, 1000000000000)";

  it("is opened again when an order has exceeded its limit, and has all that was committed", async () => {
    const database = await openPgliteDatabase(join(folder, "limit"), 30_000);
    await database.query("CREATE TABLE t (n int)");
    await database.query("INSERT INTO t VALUES (1)");
    const brief = database.within(500);
    const stuck = brief.transaction((query) => query(STUCK));
    const behind = brief.query("INSERT INTO t VALUES (2)");
    await Promise.all([
      expect(stuck).rejects.toMatchObject({ code: "ETIMEDOUT" }),
      expect(behind).rejects.toMatchObject({ code: expect.stringMatching(/ETIMEDOUT|57P03/) }),
    ]);
    expect(await until(() => database.query("SELECT n FROM t").catch(() => undefined))).toEqual([{ n: 1 }]);
    await database.close();
  });

  it("holds up neither the answers nor SIGTERM", async () => {
    const data = join(folder, "service");
    mkdirSync(data);
    const service = spawnService({ TRACKLET_DATA: data });
    const url = await service.ready();
    expect((await post(url, "before")).status).toBe(200);
    const command = spawnService({ TRACKLET_DATA: data }, [SERVICE, "sql", STUCK]);
    await until(async () => ((await post(url, "meanwhile")).status === 503 ? true : undefined));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const began = performance.now();
    expect((await service.stop("SIGTERM")).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000); // What systemd and Docker wait before they kill.
    expect((await command.closed).code).toBe(1);
    const next = spawnService({ TRACKLET_DATA: data });
    expect(await stored(await next.ready())).toEqual(expect.arrayContaining(["before"]));
    await next.stop("SIGTERM");
  });
});
