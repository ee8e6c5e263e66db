import { randomUUID } from "node:crypto";
import pg from "pg";
import { viewOf } from "../../../src/service/base/params.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { BOUNDS, writeInTime } from "../../../src/service/database/settled.js";
import { insertEvents, type NewEvent } from "../../../src/service/ingest/store/rows.js";
import type { Place } from "../support/places.js";
import { urlOf } from "./fill.js";

const EVENTS = 100_000;
/** Each has ten events, which come between those of others. */
const CONTACTS = 10_000;
/** Rows of a transaction: as many as there are clients in `throughput`. */
const BATCH = 64;

/** What an event has beside its name: a URL, the script's stamp. */
interface Extent {
  isStamped: boolean;
  hasUrl: boolean;
}

/** A page view with 104 bytes of params (56 without a URL), and with a stamp 146 more. */
const pageView = (number: number, { isStamped, hasUrl }: Extent): NewEvent => {
  const receivedAt = Date.now();
  const accountUid = `account-${number % 500}`;
  const page = {
    account_uid: accountUid,
    ...(hasUrl && { visit_url: `https://shop.example/products/${number % 1_000}` }),
    display_name: "Product page",
  };
  const event = {
    workspace: "default",
    contactUid: `contact-${(number * 7_919) % CONTACTS}`,
    accountUid,
    eventUid: number % 10 === 0 ? ["signup", "export", "invite"][number % 3]! : "pageview",
    receivedAt,
    ...viewOf(number % 10 === 0 ? "" : "pageview", page),
  };
  if (!isStamped) return { ...event, params: JSON.stringify(page), stamp: undefined, occurredAt: undefined };
  const stamp = randomUUID();
  const added = { event_id: stamp, occurred_at: receivedAt, event_source: randomUUID(), event_seq: 1 + (number % 20) };
  return { ...event, params: JSON.stringify({ ...page, ...added }), stamp, occurredAt: receivedAt };
};

const SIZES = `SELECT relname AS name, pg_relation_size(oid) AS bytes FROM pg_class
  WHERE oid = 'events'::regclass OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'events'::regclass)
  ORDER BY relkind DESC, relname`;

/** Bytes that an event takes in the table, in each index and in the log, with and without a stamp. */
export const bytes = async (engine: string, place: Place): Promise<void> => {
  const columns: Record<string, Record<string, number>> = {};
  const database = await openDatabase(place);
  const client = new pg.Client(urlOf(place));
  await client.connect();
  const log = async () =>
    Number((await client.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS at")).rows[0].at);
  for (const [name, extent] of Object.entries({
    "as pages send it": { isStamped: true, hasUrl: true },
    "without a URL": { isStamped: true, hasUrl: false },
    "without a stamp": { isStamped: false, hasUrl: true },
  })) {
    await client.query("TRUNCATE events");
    // What is written anew after a checkpoint counts as it does in operation, where one is every few minutes.
    await client.query("CHECKPOINT");
    const before = await log();
    for (let from = 0; from < EVENTS; from += BATCH) {
      const events = Array.from({ length: BATCH }, (_, at) => pageView(from + at, extent));
      const ids = newIds(BATCH);
      await writeInTime(database, insertEvents(ids, events), { oldest: ids[0]!, bounds: BOUNDS });
    }
    const sizes = (await client.query<{ name: string; bytes: string }>(SIZES)).rows.map(
      ({ name, bytes }) => [name, Math.round(Number(bytes) / EVENTS)] as const,
    );
    columns[name] = {
      ...Object.fromEntries(sizes),
      "table and indexes": sizes.reduce((sum, [, size]) => sum + size, 0),
      log: Math.round(((await log()) - before) / EVENTS),
    };
  }
  await Promise.all([client.end(), database.close()]);
  console.log(`\n${engine}: bytes an event, of ${EVENTS} page views and others of ${CONTACTS} contacts`);
  console.table(columns);
};
