/* The floor: Fastify, and one INSERT of all that waits into a table like that of the events. It checks nothing, and knows nothing. */
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import pg from "pg";
import type { nextEvent } from "./load.js";

const COLUMNS = ["contact_id", "id", "workspace", "contact_uid", "account_uid", "event_uid", "received_at"];
COLUMNS.push("occurred_at", "stamp", "source", "number", "page", "params");
const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
await client.query("CREATE TABLE bare (LIKE events INCLUDING ALL)");

const texts: string[] = [];
const textOf = (rows: number): string => {
  const row = (_: unknown, at: number) => `(${COLUMNS.map((_, column) => `$${at * COLUMNS.length + column + 1}`)})`;
  texts[rows] ??= `INSERT INTO bare (${COLUMNS}) VALUES ${Array.from({ length: rows }, row)}`;
  return texts[rows];
};

let waiting: { row: unknown[]; stored(): void }[] = [];
let isWriting = false;
const write = async (): Promise<void> => {
  if (isWriting) return;
  isWriting = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    const values = group.flatMap(({ row }) => row);
    await client.query({ name: `rows_${group.length}`, text: textOf(group.length), values });
    for (const { stored } of group) stored();
  }
  isWriting = false;
};

const app = Fastify();
app.post("/v1/track/event", ({ body }) => {
  const { contact_uid, event_uid, params } = body as ReturnType<typeof nextEvent>;
  const { account_uid, event_id, occurred_at, event_source, event_seq, ...rest } = params;
  const row = [event_source, event_id, "default", contact_uid, account_uid, event_uid, Date.now(), occurred_at];
  row.push(event_id, event_source, event_seq, rest.visit_url, JSON.stringify(rest));
  return new Promise((resolve) => {
    waiting.push({ row, stored: () => resolve({ status: "success" }) });
    setImmediate(write);
  });
});
await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`"service ready at http://127.0.0.1:${(app.server.address() as AddressInfo).port}"`);
