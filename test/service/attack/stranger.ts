import { readFileSync } from "node:fs";
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { metricsOf } from "../support/service-process.js";
import { ACCESS_TOKEN, API_TOKEN, createTraffic, type Outcome, openScene, pause } from "./scene.js";

/** As behind a web server: each address of a stranger is what that says of it. */
const PUBLIC = {
  TRACKLET_DEMO: "off",
  TRACKLET_TRUST_PROXY: "loopback",
  TRACKLET_PUBLIC_URL: "https://track.example.com",
  ...{ TRACKLET_ADDRESS_QUOTA_MB: "256", TRACKLET_TOKEN_QUOTA_MB: "20480", TRACKLET_ADDRESS_RECORDS: "20000" },
  TRACKLET_RATE_LIMIT: "600000",
};
const VIEWS = 1_000;
const ZIPPED = 500;
const CROWD = 40;
const ADDRESSES = 20_000;
const TOGETHER = 16;
/** Milliseconds that the sums get to come along, a minute of which everything takes to be settled. */
const PATIENCE_MS = 180_000;

/** Whoever has the token of the pages: compressed nonsense, page views of 250 kB, an account with many members, addresses of IPv6, odd hosts. */
export const stranger = async (part: number): Promise<Outcome> => {
  const scene = await openScene();
  await scene.start(PUBLIC);
  const traffic = createTraffic(scene);
  const answers = new Map<string, number>();
  const count = (what: string, status: number) =>
    answers.set(`${what} ${status}`, (answers.get(`${what} ${status}`) ?? 0) + 1);
  const send = async (what: string, from: string, [path, body, headers]: [string, BodyInit, object?]) => {
    const answer = await fetch(`${scene.url()}/v1/track/${path}?api_token=${API_TOKEN}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": from, ...headers },
      body,
    });
    await answer.arrayBuffer();
    count(what, answer.status);
  };
  const many = async (amount: number, work: (number: number) => Promise<void>): Promise<void> => {
    let next = 0;
    const worker = async () => {
      while (next < amount * part) await work(next++);
    };
    await Promise.all(Array.from({ length: TOGETHER }, worker));
  };
  const event = (contact_uid: string, event_uid: string, params = {}) =>
    JSON.stringify({ contact_uid, event_uid, params });

  const nonsense = gzipSync("{}\n".repeat(1_000));
  const zipped = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
  const began = performance.now();
  await many(ZIPPED, () => send("gzip", "198.51.100.1", ["events", nonsense, zipped]));
  const each = (performance.now() - began) / (ZIPPED * part);
  const url = `https://shop.example/${"x/".repeat(125_000)}`;
  await many(VIEWS, (number) =>
    send("views", `198.51.${number % 100}.2`, ["event", event("s", "pageview", { visit_url: url })]),
  );
  await many(CROWD, (number) => {
    const members = Array.from({ length: 1_000 }, (_, at) =>
      event(`crowd-${number}-${at}`, "joined", { account_uid: "crowd" }),
    );
    return send("crowd", "198.51.100.3", ["events", `[${members.join()}]`]);
  });
  await many(ADDRESSES, (number) =>
    send("ipv6", `2001:db8:0:${(number % 65_536).toString(16)}::${(number + 1).toString(16)}`, [
      "event",
      event("v6", "x"),
    ]),
  );
  for (const host of ["localhost", "127.0.0.1", "track.example.com", "evil.example", "[::1]", "a:b", ""])
    for (const [path, authorization] of [
      ["/metrics", ""],
      ["/v2/users", "Bearer demo-access-token"],
      ["/v2/events", `Bearer ${API_TOKEN}`],
    ])
      count("host", await statusOf(scene.url() + path, { host, authorization: authorization! }));

  const account = await fetch(`${scene.url()}/v2/accounts?uid=crowd`, {
    headers: { authorization: `Bearer ${ACCESS_TOKEN}` },
  });
  const bytes = (await account.arrayBuffer()).byteLength;
  await traffic.more(100);
  await traffic.stop();
  const behind = async () =>
    Number(/^tracklet_sums_behind_seconds\{workspace="default"\} (\S+)$/m.exec(await metricsOf(scene.url()))?.[1]);
  const stopped = performance.now();
  while ((await behind()) > 60 && performance.now() - stopped < PATIENCE_MS) await pause(1_000);
  const seconds = await behind();
  const memory = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${scene.service().child.pid}/status`, "utf8"))![1]);
  const isWrong = answers.has("host 200") || bytes > 4_000_000 || !(seconds <= 60) || traffic.others.size > 0;
  const told = [...answers].sort().map(([answer, times]) => `${answer}: ${times}`);
  const note = `${told.join(", ")}; ${each.toFixed(1)} ms each gzip, ${bytes} bytes of the account, ${Math.round(memory / 1_000)} MB at most, sums ${seconds.toFixed(0)} s behind`;
  return { scene, traffic, note, isWrong };
};

const statusOf = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve) => {
    request(url, { headers }, (answer) => resolve(answer.resume().statusCode!))
      .on("error", () => resolve(0))
      .end();
  });
