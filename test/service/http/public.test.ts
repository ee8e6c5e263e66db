import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { ALLOWED, expectRefusal, preflight, usePlace } from "../support/fixtures.js";
import {
  ACCESS_TOKEN,
  API_TOKEN,
  ask,
  type RunningService,
  type StartOptions,
  startService,
  until,
} from "../support/service.js";

const authorization = `Bearer ${ACCESS_TOKEN}`;
const EVENT = { contact_uid: "a", event_uid: "b" };
const PROXIED = { trustProxy: ["loopback"], publicUrl: "https://track.example.com" };

const place = usePlace();
let service: RunningService | undefined;
const start = async (options: StartOptions): Promise<RunningService> => {
  service = await startService({ ...place, ...options });
  return service;
};
beforeAll(async () => (await start({ hasRecords: true })).close());
afterEach(() => service?.close());

it("has nothing without a token of its own, whatever it listens at and whatever the Host, and names the proxy's address", async () => {
  // As behind a proxy that passes on no Host.
  const { url, post, get } = await start({ metricsToken: undefined });
  for (const host of ["127.0.0.1", "localhost", "track.example.com"]) {
    expect((await ask(`${url}/metrics`, { host, authorization })).status).toBe(404);
    expect((await ask(`${url}/v2/users`, { host, authorization: "Bearer demo-access-token" })).status).toBe(401);
  }
  expect((await post(EVENT, {}, "?api_token=demo-api-token")).status).toBe(401);
  expect((await get("/healthz", {})).status).toBe(200);
  await service!.close();
  const { body } = await ask(`${(await start(PROXIED)).url}/v2/users`, { authorization, host: "shop.example" });
  expect(JSON.parse(body).pagination.next).toBe("https://track.example.com/v2/users?offset=25&limit=25");
});

it("gives its metrics to the holder of their token", async () => {
  const { get } = await start({ ...PROXIED, metricsToken: "metrics-token,metrics-old" });
  for (const wrong of [ACCESS_TOKEN, "metrics-tokem", "metrics-token,metrics-old"])
    await expectRefusal(await get("/metrics", { authorization: `Bearer ${wrong}` }), 401, /metrics token/);
  for (const token of ["metrics-token", "metrics-old"])
    expect(await (await get("/metrics", { authorization: `Bearer ${token}` })).text()).toContain("tracklet_");
});

it("hands out the script to pages of every origin, compressed as the browser takes it", async () => {
  const { url } = await start(PROXIED);
  const made = await readFile("build/service/page/lib.js", "utf8");
  const load = (accepted: string, more = {}) => ask(`${url}/numbers/lib.js`, { "accept-encoding": accepted, ...more });
  for (const [accepted, encoding, decode] of [
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["identity", undefined, (bytes: Buffer) => bytes],
  ] as const) {
    const { headers, bytes } = await load(accepted);
    expect(headers).toMatchObject({
      "content-type": "application/javascript; charset=utf-8",
      "cache-control": "public, max-age=3600",
      vary: expect.stringMatching(/accept-encoding/i),
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
    expect(headers["content-encoding"]).toBe(encoding);
    expect(decode(bytes).toString()).toBe(made);
    expect((await load(accepted, { "if-none-match": headers.etag })).status).toBe(304);
  }
});

it("counts each visitor of a trusted proxy for itself", async () => {
  const { post, url } = await start({ ...PROXIED, rateLimit: 2 });
  const statuses = async (visitor: string) => {
    const answers: number[] = [];
    while (answers.length < 3) answers.push((await post(EVENT, { "x-forwarded-for": visitor })).status);
    return answers;
  };
  expect(await statuses("192.0.2.1")).toEqual([200, 200, 429]);
  // What a visitor makes up stands in front of the address that the proxy adds.
  expect(await statuses("198.51.100.9, 192.0.2.1")).toEqual([429, 429, 429]);
  expect(await statuses("192.0.2.2")).toEqual([200, 200, 429]);
  // A page can read it; a preflight counts for nothing.
  const own = { origin: "https://shop.example", "x-forwarded-for": "192.0.2.3" };
  for (let number = 0; number < 3; number += 1)
    expect((await fetch(`${url}/v1/track/event`, { method: "OPTIONS", headers: own })).status).toBe(204);
  expect(await statuses("192.0.2.3")).toEqual([200, 200, 429]);
  const refused = await post(EVENT, own);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("access-control-expose-headers")).toBe("Retry-After");
  expect(refused.headers.get("access-control-allow-origin")).toBe(own.origin);
  await expectRefusal(refused, 429, /too many requests/);
});

it("cuts the slowest bodies of the address that holds most, and no other, where too many are held back", async () => {
  const { url } = await start({ ...PROXIED });
  const [host, port] = new URL(url).host.split(":") as [string, string];
  const begin = (from: string, text: string) => {
    const length = text.length + 1;
    const one = { answer: "", socket: connect(Number(port), host) };
    one.socket.on("data", (data) => (one.answer += data)).on("error", () => {});
    one.socket.write(
      `POST /v1/track/event?api_token=${encodeURIComponent(API_TOKEN)} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`,
    );
    return one;
  };
  const honest = begin("192.0.2.1", `{"contact_uid":"held","event_uid":"${"x".repeat(1_000)}"`);
  // 64 MB are 260 of these.
  const held: ReturnType<typeof begin>[] = [];
  for (let number = 0; number < 300; number += 1) {
    const one = begin(`2001:db8::${number}`, `{"contact_uid":"${"x".repeat(254_000)}`);
    await new Promise<void>((resolve) => one.socket.write("", () => resolve()));
    held.push(one);
  }
  const cut = () => held.filter(({ answer }) => answer !== "");
  await until(() => cut().length >= 35);
  for (const { answer } of cut()) expect(answer).toMatch(/^HTTP\/1\.1 408 .*connection: close.*\{"error":/is);
  expect(honest.answer).toBe("");
  honest.socket.write("}");
  expect(await until(() => honest.answer)).toMatch(/^HTTP\/1\.1 200 /);
  // As soon as they are gone there is room again.
  for (const { socket } of held) socket.destroy();
  const next = begin("192.0.2.1", `{"contact_uid":"${"x".repeat(200_000)}","event_uid":"x"`);
  next.socket.write("}");
  expect(await until(() => next.answer)).toMatch(/^HTTP\/1\.1 200 /);
  expect(cut().length).toBeLessThan(60);
});

it("says that it seems to stand behind a web server which it does not know, once", async () => {
  const { app, post } = await start({});
  const told = vi.spyOn(app.log, "warn");
  await post(EVENT);
  expect(told).not.toHaveBeenCalled();
  for (let number = 0; number < 3; number += 1) await post(EVENT, { "x-forwarded-for": `192.0.2.${number}` });
  const line = /^events come from 127\.0\.0\.1, with .+ set TRACKLET_TRUST_PROXY=127\.0\.0\.1 and TRACKLET_PUBLIC_URL/;
  expect(told.mock.calls).toEqual([[expect.stringMatching(line)]]);
});

it("believes neither a Host nor a forwarded address where no proxy is trusted", async () => {
  const { url, post } = await start({ host: "0.0.0.0", rateLimit: 3 });
  const made = { host: "shop.example", "x-forwarded-host": "shop.example", "x-forwarded-proto": "https" };
  const { body } = await ask(`${url}/v2/users`, { authorization, ...made });
  expect(JSON.parse(body).pagination.next).toBe(`${url}/v2/users?offset=25&limit=25`);
  const answers = await Promise.all(["1", "2", "3"].map((n) => post(EVENT, { "x-forwarded-for": `192.0.2.${n}` })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
});

it("lets pages of any origin read every answer, with a preflight that holds for a day", async () => {
  const { url } = await start(PROXIED);
  const token = `?api_token=${encodeURIComponent(API_TOKEN)}`;
  const path = `/v1/track/event${token}`;
  const cases: [path: string, status: number, init?: RequestInit & { headers?: Record<string, string> }][] = [
    ["/openapi.json", 200],
    ["/nowhere", 404],
    ["/v2/users", 401],
    ["/v2/users", 405, { method: "DELETE" }],
    ["/v2/accounts/%E0%A4%A", 400],
    // A route that reads no body.
    ["/nowhere", 404, { method: "POST", body: "x", headers: { "content-type": "text/html" } }],
    [path, 415, { method: "POST", body: "x", headers: { "content-type": "text/html" } }],
    [path, 413, { method: "POST", body: "x".repeat(262_145) }],
    [path, 400, { method: "POST", body: "x" }],
  ];
  for (const origin of ["https://shop.example", "null"]) {
    for (const [path, status, init] of cases) {
      const answer = await fetch(url + path, { ...init, headers: { ...init?.headers, origin } });
      expect([path, answer.status]).toEqual([path, status]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "x-content-type-options": "nosniff",
        vary: expect.stringContaining("Origin"),
      });
      if (status !== 200) expect(Object.keys((await answer.json()) as object)).toEqual(["error"]);
    }
    for (const path of ["/v1/track/event", "/v2/users", "/nowhere"])
      expect(await preflight(url + path, origin)).toEqual([204, ALLOWED(origin)]);
  }
});
