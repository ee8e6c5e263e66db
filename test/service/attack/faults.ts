import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { IN_CONTAINER } from "../support/service-process.js";
import { smallDisk } from "../support/small-disk.js";
import { childrenOf, createTraffic, eventOf, type Outcome, openScene, pause, post, type Traffic } from "./scene.js";

const KILLS = 20;
const SERVER_KILLS = 10;
/** Events between two faults. */
const BETWEEN = 150;

/** The service is killed under load, and then its PostgreSQL: the server, which it starts again, or one of the server's processes. */
export const kills = async (part: number): Promise<Outcome> => {
  const [ofService, ofServer] = [KILLS * part, 2 * Math.ceil((SERVER_KILLS / 2) * part)];
  const scene = await openScene();
  await scene.start();
  const traffic = createTraffic(scene);
  for (let kill = 0; kill < ofService; kill += 1) {
    await traffic.more(BETWEEN);
    await scene.service().stop("SIGKILL");
    await scene.start();
  }
  for (let kill = 0; kill < ofServer; kill += 1) {
    await traffic.more(BETWEEN);
    const server = scene.serverPid();
    process.kill(kill % 2 === 0 ? server : childrenOf(server).at(-1)!, "SIGKILL");
  }
  await traffic.more(BETWEEN);
  await traffic.stop();
  return { scene, traffic, note: `${ofService} kills of the service and ${ofServer} of its server` };
};

const LOCKED_MS = 60_000;

/** Somebody locks the table of events for a minute. */
export const lock = async (): Promise<Outcome> => {
  const scene = await openScene({ given: {} });
  await scene.start();
  const traffic = createTraffic(scene);
  await traffic.more(BETWEEN);
  const holder = new pg.Client(scene.given!.url);
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE events");
  await pause(LOCKED_MS);
  await holder.end();
  return { scene, traffic, note: `locked for ${LOCKED_MS / 1_000} s, ${await recovery(traffic)}` };
};

/** Milliseconds until events are stored again. */
const recovery = async (traffic: Traffic): Promise<string> => {
  const began = performance.now();
  await traffic.more(BETWEEN);
  const seconds = (performance.now() - began) / 1_000;
  await traffic.stop();
  return `again after ${seconds.toFixed(1)} s`;
};

/** The disk is full, and then it is not. */
export const fullDisk = async (): Promise<Outcome> => {
  const disk = smallDisk(320);
  const scene = await openScene({ folder: `${disk.folder}/data` });
  await scene.start();
  const traffic = createTraffic(scene, () => crypto.randomUUID().repeat(500));
  const notes: string[] = [];
  // With the room that events leave, and with none, so that the server ends.
  for (const left of [66, 0]) {
    await traffic.more(BETWEEN);
    traffic.others.delete("503");
    disk.fill(left * 2 ** 20);
    while (!traffic.others.has("503")) await pause(50);
    await pause(5_000);
    disk.empty();
    const began = performance.now();
    await traffic.more(BETWEEN);
    notes.push(`again after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  }
  await traffic.stop();
  const close = async (): Promise<void> => {
    await scene.close();
    disk.remove();
  };
  return { scene: { ...scene, close }, traffic, note: notes.join(", ") };
};

/** Takes all connections that there are. */
const takeAll = async (url: string): Promise<pg.Client[]> => {
  const clients: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client({ connectionString: url, application_name: "attack" }).on("error", () => {});
    const isTaken = await client.connect().then(
      () => true,
      () => false,
    );
    if (!isTaken) return clients;
    clients.push(client);
  }
};

/** PostgreSQL has no connection left: when the service starts, and while it runs. */
export const noConnection = async (): Promise<Outcome> => {
  const scene = await openScene({ given: { options: ["-c", "max_connections=20"] } });
  const others = await takeAll(scene.given!.url);
  const early = await scene.another({}).closed;
  await Promise.all(others.map((client) => client.end()));
  await scene.start();
  const traffic = createTraffic(scene);
  await traffic.more(BETWEEN);
  const admin = new pg.Client({ connectionString: scene.given!.url, application_name: "attack" });
  await admin.connect();
  const more: pg.Client[] = [];
  for (const until = Date.now() + 10_000; Date.now() < until; ) {
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'test' AND application_name <> 'attack'",
    );
    more.push(...(await takeAll(scene.given!.url)));
  }
  await Promise.all([...more, admin].map((client) => client.end().catch(() => {})));
  const told = early.stderr.trim().split("\n");
  return {
    scene,
    traffic,
    note: `start: code ${early.code}, ${told.length} line: "${told[0]}"; ${await recovery(traffic)}`,
  };
};

/** Stands before a database, and may hold back what it says. */
const createBrake = async (url: string) => {
  const { port, hostname } = new URL(url);
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.on("data", (data) => {
        if (delayMs === 0) to.write(data);
        else if (delayMs !== Number.POSITIVE_INFINITY) setTimeout(() => to.writable && to.write(data), delayMs);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const target = new URL(url);
  target.port = String((server.address() as { port: number }).port);
  return {
    url: target.href,
    delay: (milliseconds: number) => {
      // What was held back would come behind what is sent now: it is cut instead.
      if (delayMs !== 0) for (const socket of sockets) socket.destroy();
      delayMs = milliseconds;
    },
    close: () => server.close(),
  };
};

/** The database takes a second for each answer, and then it says nothing more for half a minute. */
export const slowDatabase = async (): Promise<Outcome> => {
  const scene = await openScene({ given: {} });
  const brake = await createBrake(scene.given!.url);
  await scene.start({ DATABASE_URL: brake.url });
  const traffic = createTraffic(scene);
  await traffic.more(BETWEEN);
  brake.delay(1_000);
  await pause(10_000);
  const slow = traffic.acknowledged.size;
  brake.delay(Number.POSITIVE_INFINITY);
  await pause(30_000);
  brake.delay(0);
  const note = `${slow} stored when slow, ${await recovery(traffic)}`;
  return { scene: { ...scene, close: () => scene.close().finally(brake.close) }, traffic, note };
};

export const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/** A machine starts with a clock that is 400 days ahead, and events are kept for a year; then with one that is behind. */
export const wrongClock = async (): Promise<Outcome> => {
  const scene = await openScene({ given: {} });
  await scene.start();
  const traffic = createTraffic(scene);
  await traffic.more(BETWEEN);
  await traffic.stop();
  await scene.service().stop("SIGTERM");
  const said: string[] = [];
  for (const [days, name] of [
    ["+400d", "ahead"],
    ["-3d", "behind"],
  ] as const) {
    const faked = { LD_PRELOAD: FAKETIME, FAKETIME: days, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
    await scene.given!.halt();
    await scene.given!.resume(faked);
    const service = scene.another({ ...faked, TRACKLET_RETENTION_DAYS: "365" });
    const url = await Promise.race([service.ready().catch(() => ""), pause(60_000).then(() => "")]);
    // Long enough for what it deletes at its start.
    await pause(5_000);
    const stamp = `clock-${name}`;
    const answer = url === "" ? "does not start" : await post(url, eventOf(stamp));
    if (answer === 200) traffic.acknowledged.add(stamp);
    said.push(`${name}: ${answer}`);
    await service.stop("SIGTERM");
  }
  await scene.given!.halt();
  await scene.given!.resume();
  await scene.start({ TRACKLET_RETENTION_DAYS: "365" });
  await pause(2_000);
  return { scene, traffic, note: said.join(", ") };
};

/** A second service starts on the folder of the first one, in a container whose processes have other ids. */
export const namespaces = async (): Promise<Outcome> => {
  const scene = await openScene();
  await scene.start();
  const traffic = createTraffic(scene);
  await traffic.more(BETWEEN);
  const second = scene.another({}, IN_CONTAINER);
  const { code, stderr } = await second.closed;
  await traffic.more(BETWEEN);
  await traffic.stop();
  await scene.service().stop("SIGTERM");
  await scene.start();
  return { scene, traffic, note: `the second: code ${code}, "${stderr.trim().slice(0, 60)}…"` };
};
