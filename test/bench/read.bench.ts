/**
 * What a call of `tracklet/read` and `tracklet/send` costs beyond a bare `fetch` that does the same: the median, over
 * interleaved rounds, of the ratio of their times against a local server. A ratio, because times depend on the machine.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createReader } from "../../src/read.js";
import { sendEvent } from "../../src/send.js";

const ROUNDS = 60;
const CALLS_PER_ROUND = 100;
const WARM_UP_ROUNDS = 10;

const record = JSON.stringify({ object: "account", id: "1", unique_id: "acme", data: { name: "Acme", seats: 5 } });
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(record));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

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
  const start = performance.now();
  for (let count = 0; count < CALLS_PER_ROUND; count += 1) await call();
  return performance.now() - start;
};

for (const [name, ours, bare] of pairs) {
  const ratios: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    // Who is first changes, so that neither profits from what the other left behind.
    const first = round % 2 === 0 ? await time(ours) : await time(bare);
    const second = round % 2 === 0 ? await time(bare) : await time(ours);
    if (round >= 0) ratios.push(round % 2 === 0 ? first / second : second / first);
  }
  ratios.sort((a, b) => a - b);
  const at = (share: number): string => ratios[Math.floor(ratios.length * share)]!.toFixed(2);
  console.log(`${name}: ${at(0.5)} × a bare fetch (quartiles ${at(0.25)} and ${at(0.75)}, ${ROUNDS} rounds)`);
}
server.close();
server.closeAllConnections();
