/**
 * What a call of `tracklet/read` and `tracklet/send` costs beyond a bare `fetch` that does the same: the ratio of the
 * medians of their processor times, over interleaved rounds, with the server in a process of its own. A ratio, because
 * times depend on the machine; processor time, because the machine does other things as well.
 *
 * Run it with `npx tsx test/bench/read.bench.ts`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReader } from "../../src/read.js";
import { sendEvent } from "../../src/send.js";

const ROUNDS = 60;
const CALLS_PER_ROUND = 100;
const WARM_UP_ROUNDS = 10;

const record = JSON.stringify({ object: "account", id: "1", unique_id: "acme", data: { name: "Acme", seats: 5 } });
const serve = `
  const server = require("node:http").createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(${JSON.stringify(record)}));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;
const server = spawn(process.execPath, ["--eval", serve], { stdio: ["ignore", "pipe", "inherit"] });
const [port] = await once(server.stdout, "data");
const url = `http://127.0.0.1:${String(port).trim()}`;

const reader = createReader({ baseUrl: url, accessToken: "token" });
const readHeaders = { Accept: "application/json", Authorization: "Bearer token" };
const event = { contact_uid: "c", event_uid: "e", params: { account_uid: "a" } };
const sendHeaders = { "Content-Type": "application/json", Authorization: `Basic ${btoa("token:")}` };

const pairs: [name: string, ours: () => Promise<unknown>, bare: () => Promise<unknown>][] = [
  [
    "tracklet/read accounts.get",
    () => reader.accounts.get("1"),
    async () => (await fetch(`${url}/v2/accounts/1`, { headers: readHeaders })).json(),
  ],
  [
    "tracklet/send sendEvent",
    () => sendEvent({ trackUrl: url, apiToken: "token" }, event),
    async () => {
      const init = { method: "POST", headers: sendHeaders, body: JSON.stringify(event) };
      await (await fetch(`${url}/v1/track/event`, init)).text();
    },
  ],
];

const time = async (call: () => Promise<unknown>): Promise<number> => {
  const start = process.cpuUsage();
  for (let count = 0; count < CALLS_PER_ROUND; count += 1) await call();
  const { user, system } = process.cpuUsage(start);
  return user + system;
};

/** The value below which this share of the sorted values lies. */
const at = (share: number, values: number[]): number => values[Math.floor(values.length * share)]!;

for (const [name, ours, bare] of pairs) {
  // The same call twice is the control: as far as its ratio is from 1, the machine is to blame.
  const calls = { ours, bare, again: bare };
  const times: Record<keyof typeof calls, number[]> = { ours: [], bare: [], again: [] };
  const names = Object.keys(calls) as (keyof typeof calls)[];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    // Who is first changes, so that nobody profits from what another left behind.
    names.push(names.shift()!);
    for (const each of names) {
      const spent = await time(calls[each]);
      if (round >= 0) times[each].push(spent);
    }
  }
  for (const each of names) times[each].sort((a, b) => a - b);
  const median = at(0.5, times.bare);
  const ratio = (each: keyof typeof calls, share: number) => (at(share, times[each]) / median).toFixed(2);
  console.log(
    `${name}: ${ratio("ours", 0.5)} × a bare fetch (quartiles ${ratio("ours", 0.25)} and ${ratio("ours", 0.75)}, ` +
      `control ${ratio("again", 0.5)}, ${(median / CALLS_PER_ROUND).toFixed(0)} µs a bare call, ${ROUNDS} rounds)`,
  );
}
server.kill();
// Connections that fetch keeps open would keep Node running, too.
process.exit();
