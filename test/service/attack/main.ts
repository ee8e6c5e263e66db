/*
 * `npm run attack`: does to a service what strangers and machines do, and prints what was answered with 200, what is stored, lost and there
 * twice. Rows that are named as arguments run alone; with `--short`, those that CI runs, in less time. It ends with 1 where something was
 * lost or is there twice.
 */
import { connect } from "node:net";
import fc from "fast-check";
import { API_TOKEN, createTraffic, type Outcome, openScene, readStored } from "./scene.js";
import { upgrade } from "./upgrade.js";

const isShort = process.argv.includes("--short");
const path = fc.oneof(
  fc.constantFrom(`?api_token=${API_TOKEN}`, "?api_token=wrong", "").map((query) => `/v1/track/event${query}`),
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

const REQUESTS = isShort ? 2_000 : 20_000;
/** Of them under way at a time. */
const TOGETHER = 64;

/** What is no request, and what is nearly one, while others send events. */
const fuzz = async (): Promise<Outcome> => {
  const scene = await openScene();
  await scene.start();
  const traffic = createTraffic(scene);
  const seed = Date.now() % 2 ** 31;
  const { port } = new URL(scene.url());
  const send = async (bytes: Buffer): Promise<void> => {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    // What waits for more gets no more.
    socket.resume().end(bytes);
    await new Promise((resolve) => socket.once("close", resolve));
  };
  for (let sent = 0; sent < REQUESTS; sent += TOGETHER)
    await Promise.all(fc.sample(request, { seed: seed + sent, numRuns: TOGETHER }).map(send));
  await traffic.stop();
  const isWrong = scene.service().process.exitCode !== null;
  return { scene, traffic, note: `seed ${seed}${isWrong ? ", THE SERVICE ENDED" : ""}`, isWrong };
};

const ROWS: Record<string, () => Promise<Outcome>> = { fuzz, upgrade: () => upgrade(1_000_000) };
const named = process.argv.slice(2).filter((name) => name !== "--short");
const names = named.length > 0 ? named : isShort ? ["fuzz"] : Object.keys(ROWS);
const unknown = names.find((name) => !(name in ROWS));
if (unknown !== undefined) {
  console.error(`attack: there is no ${unknown}: name ${Object.keys(ROWS).join(", ")}`);
  process.exit(1);
}
let isBroken = false;
const table: Record<string, object> = {};
for (const name of names) {
  const { scene, traffic, note, isWrong = false } = await ROWS[name]!();
  const stored = await readStored(scene);
  const unique = new Set(stored);
  const lost = [...traffic.acknowledged].filter((stamp) => !unique.has(stamp)).length;
  const twice = stored.length - unique.size;
  isBroken ||= isWrong || lost + twice > 0;
  const others = [...traffic.others].map(([answer, times]) => `${answer} ${times}`).join(", ");
  table[name] = { 200: traffic.acknowledged.size, others, stored: stored.length, lost, twice, seen: note };
  await scene.close();
}
console.table(table);
process.exit(isBroken ? 1 : 0);
