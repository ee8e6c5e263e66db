import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
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

/** Milliseconds until events are stored again. */
const recovery = async (traffic: Traffic): Promise<string> => {
  const began = performance.now();
  await traffic.more(BETWEEN);
  const seconds = (performance.now() - began) / 1_000;
  await traffic.stop();
  return `again after ${seconds.toFixed(1)} s`;
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
