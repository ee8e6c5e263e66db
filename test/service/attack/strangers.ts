import { readFileSync } from "node:fs";
import { connect } from "node:net";
import fc from "fast-check";
import { ACCESS_TOKEN, API_TOKEN, createTraffic, type Outcome, openScene, pause } from "./scene.js";

const REQUESTS = 20_000;
/** Of them under way at a time. */
const TOGETHER = 64;

const token = fc.constantFrom(`?api_token=${API_TOKEN}`, "?api_token=wrong", "");
const path = fc.oneof(
  token.map((query) => `/v1/track/event${query}`),
  fc.constantFrom("/v2/users", "/v2/events", "/v2/contacts", "/v2/accounts/x", "/readyz", "/docs/"),
  fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => `/${encodeURIComponent(text)}`),
  fc.tuple(fc.constantFrom("/v2/events", "/v2/users"), fc.webQueryParameters()).map((parts) => parts.join("?")),
);
const event = fc.record(
  {
    contact_uid: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
    event_uid: fc.oneof(fc.string({ unit: "grapheme" }), fc.jsonValue()),
    params: fc.oneof(fc.object({ maxDepth: 6 }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 4, arbitrary: event.map((one) => JSON.stringify(one)) },
  fc.json(),
  fc.string({ unit: "binary" }),
  fc
    .nat(90)
    .map((depth) => `{"contact_uid":"a","event_uid":"b","params":${'{"a":'.repeat(depth)}1${"}".repeat(depth + 1)}`),
  fc.constantFrom('{"contact_uid":"\\u0000\\ud800","event_uid":"b"}', '{"__proto__":{"a":1}}', "x".repeat(300_000)),
);
const header = fc.constantFrom(
  ...["Content-Type: application/json", "Content-Type: text/plain", "Content-Type: text/html", "Expect: 100-continue"],
  ...[
    "Content-Encoding: gzip",
    "Origin: null",
    "Authorization: Basic \u00ff\u00fe",
    `Authorization: Bearer ${ACCESS_TOKEN}`,
  ],
  ...["Transfer-Encoding: chunked", "Content-Length: 1", "Host: shop.example", "X: \u0001", "Authorization: Bearer"],
);
const asked = fc
  .record({
    method: fc.constantFrom("POST", "POST", "POST", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "BREW"),
    path,
    headers: fc.array(header, { maxLength: 3 }),
    body,
  })
  .map(({ method, path, headers, body }) => {
    const bytes = Buffer.from(body);
    const fields = ["Host: localhost", "Content-Type: application/json", ...headers, `Content-Length: ${bytes.length}`];
    return Buffer.concat([
      Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`, "latin1"),
      bytes,
    ]);
  });
const noHttp = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const request = fc.oneof({ weight: 19, arbitrary: asked }, { weight: 1, arbitrary: noHttp });

/** What is no request, and what is nearly one, while others send events. */
export const fuzz = async (part: number): Promise<Outcome> => {
  const requests = REQUESTS * part;
  const scene = await openScene();
  await scene.start();
  const traffic = createTraffic(scene);
  const seed = Date.now() % 2 ** 31;
  const answers = new Map<string, number>();
  const { port } = new URL(scene.url());
  for (let sent = 0; sent < requests; sent += TOGETHER)
    await Promise.all(
      fc.sample(request, { seed: seed + sent, numRuns: Math.min(TOGETHER, requests - sent) }).map(async (bytes) => {
        const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
        let text = "";
        socket.on("data", (data) => {
          text ||= String(data);
          if (!text.startsWith("HTTP/1.1 100")) socket.end();
          else text = "";
        });
        // What waits for more gets no more.
        socket.end(bytes);
        await new Promise((resolve) => socket.once("close", resolve));
        const status = /^HTTP\/1\.1 (\d)/.exec(text)?.[1];
        const answer = status === undefined ? "none" : `${status}xx`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }),
    );
  await traffic.stop();
  const ended = scene.service().child.exitCode === null ? "" : "THE SERVICE ENDED, ";
  const told = [...answers].sort().map(([status, times]) => `${status} ${times}`);
  return { scene, traffic, note: `${ended}seed ${seed}: ${told.join(", ")}` };
};

const HELD = 2_000;
const HELD_BYTES = 255_000;

/** Many bodies that begin and do not end, of another address than the clients'. */
export const heldBodies = async (): Promise<Outcome> => {
  const scene = await openScene();
  await scene.start();
  const traffic = createTraffic(scene);
  await traffic.more(200);
  const memory = (): number => {
    const status = readFileSync(`/proc/${scene.service().child.pid}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1_000);
  };
  const before = memory();
  const head =
    `POST /v1/track/event?api_token=${API_TOKEN} HTTP/1.1\r\nHost: localhost\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${HELD_BYTES + 1}\r\n\r\n`;
  const filler = "x".repeat(HELD_BYTES);
  let cut = 0;
  const sockets = [];
  for (let number = 0; number < HELD; number += 1) {
    const socket = connect({ port: Number(new URL(scene.url()).port), host: "127.0.0.1", localAddress: "127.0.0.2" });
    socket.on("error", () => {}).once("data", (text) => (cut += String(text).startsWith("HTTP/1.1 408") ? 1 : 0));
    socket.write(head + filler);
    sockets.push(socket);
    if (number % 20 === 0) await pause(10);
  }
  let most = 0;
  for (let look = 0; look < 20; look += 1) {
    most = Math.max(most, memory());
    await pause(250);
  }
  await traffic.more(200);
  for (const socket of sockets) socket.destroy();
  await traffic.stop();
  return { scene, traffic, note: `${HELD} held, ${cut} cut (408); memory ${before} MB, at most ${most} MB` };
};
