import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Launched } from "../../support/launch.js";
import { freePort } from "../../support/ports.js";
import { waitFor } from "../../support/wait.js";
import { basic } from "../support/basic.js";
import { nginx, startNginx } from "../support/nginx.js";
import { startPostgres } from "../support/postgres-server.js";
import { spawnService } from "../support/service-process.js";

const PROCESSES = 2;
/** How often each of them is told to end, and is killed. */
const ROUNDS = 2;
const CLIENTS = 32;

describe.runIf(process.env.TEST_ALL && nginx)("two processes behind nginx on one database", () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof startPostgres>>;
  let front: Launched;
  let url: string;
  let ports: number[];
  const services: ReturnType<typeof spawnService>[] = [];

  const start = async (index: number): Promise<void> => {
    const service = spawnService({
      DATABASE_URL: database.url,
      TRACKLET_SERVICE_PORT: String(ports[index]),
      TRACKLET_API_TOKEN: "own-api-token-16",
      TRACKLET_ACCESS_TOKEN: "own-access-token",
      TRACKLET_TRUST_PROXY: "loopback",
      TRACKLET_PUBLIC_URL: url,
      TRACKLET_DEMO: "off",
      TRACKLET_RATE_LIMIT: "0",
    });
    services[index] = service;
    await service.ready();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tracklet-machines-"));
    database = await startPostgres();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    ports = [];
    for (let index = 0; index < PROCESSES; index += 1) ports.push(await freePort());
    await Promise.all(ports.map((_, index) => start(index)));
    front = await startNginx(folder, port, ports);
  });
  afterAll(async () => {
    await front?.end("SIGTERM");
    await Promise.all(services.map((service) => service.stop("SIGTERM")));
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("refuse nothing while one after another is told to end under load, and lose and repeat nothing while they are killed", async () => {
    const sent: string[] = [];
    const refusals = new Map<number, number>();
    let delivered = 0;
    let stopped = false;
    /** Sends one event after another, each until it is answered with 200. */
    const client = async (name: number): Promise<void> => {
      for (let number = 0; !stopped; number += 1) {
        const stamp = `${name}-${number}`;
        sent.push(stamp);
        const event = { contact_uid: `contact-${name}`, event_uid: "sent", params: { event_id: stamp } };
        for (;;) {
          const { status } = await fetch(`${url}/v1/track/event`, {
            method: "POST",
            headers: { "content-type": "application/json", ...basic("own-api-token-16:") },
            body: JSON.stringify(event),
          });
          if (status === 200) break;
          refusals.set(status, (refusals.get(status) ?? 0) + 1);
        }
        delivered += 1;
      }
    };
    const more = async (): Promise<void> => {
      const from = delivered;
      await waitFor(() => delivered > from + 5 * CLIENTS, { what: "more events to be delivered" });
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)));
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      for (let round = 0; round < ROUNDS * PROCESSES; round += 1) {
        const index = round % PROCESSES;
        await more();
        await services[index]!.stop(signal);
        // The other takes over.
        await more();
        await start(index);
      }
      await more();
    };
    await Promise.race([end("SIGTERM"), clients]);
    expect(refusals).toEqual(new Map());
    await Promise.race([end("SIGKILL"), clients]);
    stopped = true;
    await clients;

    // 502: the process was killed while it had the request.
    expect([...refusals.keys()].filter((status) => status !== 502)).toEqual([]);
    const reader = new pg.Client(database.url);
    await reader.connect();
    const { rows } = await reader.query<{ params: string }>("SELECT params FROM events");
    await reader.end();
    expect(rows.map(({ params }) => JSON.parse(params).event_id).sort()).toEqual(sent.sort());
    console.log(
      `${sent.length} events, ${ROUNDS * PROCESSES} ends and kills, refused: ${JSON.stringify([...refusals])}`,
    );
  });

  it("show nothing but the interface, and log no token", async () => {
    for (const path of ["/healthz", "/metrics", "/docs/", "/v1", "/v3/users"])
      expect((await fetch(url + path)).status, path).toBe(404);
    const users = await fetch(`${url}/v2/users?limit=1`, { headers: { authorization: "Bearer own-access-token" } });
    expect(users.status).toBe(200);
    const log = await readFile(join(folder, "tracklet.log"), "utf8");
    expect(log).toContain("POST /v1/track/event");
    // Processes were killed while they had requests.
    for (const file of [log, await readFile(join(folder, "tracklet-error.log"), "utf8")])
      expect(file).not.toMatch(/token/);
  });
});
