/** `npm run attack -- fuzz` sends ten times as much, of `SEED=7`. */
import { connect } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { useServer } from "../support/fixtures.js";
import { metricsOf, spawnService } from "../support/service-process.js";
import { createTraffic } from "./traffic.js";

const path = fc.oneof(
  fc.constantFrom("?api_token=demo-api-token", "?api_token=wrong", "").map((query) => `/v1/track/event${query}`),
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
  "Content-Type: application/json",
  "Content-Type: text/html",
  "Expect: 100-continue",
  "Content-Encoding: gzip",
  "Origin: null",
  "Authorization: Basic \u00ff\u00fe",
  "Authorization: Bearer",
  "X: \u0001",
  "Transfer-Encoding: chunked",
  "Content-Length: 1",
  "Host: shop.example",
);
const method = fc.constantFrom(..."POST POST POST GET HEAD PUT DELETE OPTIONS CONNECT BREW".split(" "));
const asked = fc.tuple(method, path, fc.array(header, { maxLength: 3 }), body).map(([method, path, headers, body]) => {
  const bytes = Buffer.from(body);
  const fields = ["Host: localhost", "Content-Type: application/json", ...headers, `Content-Length: ${bytes.length}`];
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([head, bytes]);
});
const noHttp = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const request = fc.oneof({ weight: 19, arbitrary: asked }, { weight: 1, arbitrary: noHttp });

const SEED = Number(process.env.SEED ?? 1);
const REQUESTS = process.env.MODE === "attack" ? 20_000 : 2_000;
/** Of them under way at a time. */
const TOGETHER = 64;

const place = useServer();

it("goes on, and fails none, while what is no request, and what is nearly one, comes beside events", async () => {
  const service = spawnService({ DATABASE_URL: place.databaseUrl });
  const url = await service.ready();
  const traffic = createTraffic(place, () => url);
  const send = async (bytes: Buffer): Promise<void> => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    // What waits for more gets no more.
    socket.resume().end(bytes);
    await new Promise((resolve) => socket.once("close", resolve));
  };
  for (let sent = 0; sent < REQUESTS; sent += TOGETHER)
    await Promise.all(fc.sample(request, { seed: SEED + sent, numRuns: TOGETHER }).map(send));
  expect(await traffic.stop()).toEqual([]);
  expect(await metricsOf(url)).not.toMatch(/status="5/);
  expect(await service.stop("SIGTERM")).toMatchObject({ code: 0 });
}, 600_000);
