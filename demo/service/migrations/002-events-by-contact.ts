import type { Query } from "../database.js";
import { idOfNumber } from "../event-id.js";
import { encodeText } from "../exact-text.js";

/**
 * Keys events by their contact, numbers them without a counter, and gives accounts, contacts, users and events the
 * workspace that they belong to. What the params say of the account and of the time stands in columns of its own.
 */
export const up = async (query: Query): Promise<void> => {
  for (const statement of BEFORE) await query(statement);
  await copyEvents(query);
  for (const statement of AFTER) await query(statement);
};

const BEFORE = [
  ...["accounts", "contacts", "users"].map(
    (table) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS workspace TEXT NOT NULL DEFAULT 'default'`,
  ),
  "DROP INDEX IF EXISTS users_by_creation",
  "CREATE INDEX IF NOT EXISTS users_by_time ON users (workspace, created_at, id)",
  // How many users come before the one at a place: pages far behind the first, and the total, are found from here.
  `CREATE TABLE IF NOT EXISTS user_ranks (
     workspace  TEXT NOT NULL,
     rank       BIGINT NOT NULL,
     created_at BIGINT NOT NULL,
     id         TEXT NOT NULL,
     PRIMARY KEY (workspace, rank)
   )`,
  "ALTER TABLE events RENAME TO numbered_events",
  // How far each writer has come: all its events up to the position are committed.
  `CREATE TABLE IF NOT EXISTS writers (
     id       TEXT PRIMARY KEY,
     opened   UUID NOT NULL,
     position UUID NOT NULL
   )`,
  `CREATE TABLE IF NOT EXISTS events (
     contact_id  TEXT NOT NULL,
     id          UUID NOT NULL,
     workspace   TEXT NOT NULL,
     contact_uid TEXT NOT NULL,
     account_uid TEXT,
     event_uid   TEXT NOT NULL,
     received_at BIGINT NOT NULL,
     occurred_at BIGINT,
     stamp       TEXT,
     params      TEXT NOT NULL,
     PRIMARY KEY (contact_id, id)
   )`,
  "CREATE UNIQUE INDEX IF NOT EXISTS events_by_stamp ON events (contact_id, stamp) WHERE stamp IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS events_by_time ON events (workspace, id)",
  // An index entry has a greatest length, the name of an event has not.
  "CREATE INDEX IF NOT EXISTS events_by_name ON events (workspace, (left(event_uid, 64)), id)",
];

const AFTER = ["DROP TABLE numbered_events", "DELETE FROM service_state WHERE name = 'last_event_id'"];

/** Rows copied at a time. */
const CHUNK = 500;

const INSERT = `INSERT INTO events
  (contact_id, id, workspace, contact_uid, account_uid, event_uid, received_at, occurred_at, stamp, params)
  SELECT contact_id, id, 'default', contact_uid, account_uid, event_uid, received_at, occurred_at, stamp, params
  FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[], $9::text[])
    AS row (contact_id, id, contact_uid, account_uid, event_uid, received_at, occurred_at, stamp, params)
  ON CONFLICT DO NOTHING`;

interface NumberedEvent {
  event_key: string;
  id: unknown;
  received_at: unknown;
  contact_id: string;
  contact_uid: string;
  event_uid: string;
  params: string;
}

const copyEvents = async (query: Query): Promise<void> => {
  let after = 0;
  for (;;) {
    const rows = await query<NumberedEvent>(
      `SELECT event_key, id, received_at, contact_id, contact_uid, event_uid, params FROM numbered_events
       WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, CHUNK],
    );
    if (rows.length === 0) return;
    after = Number(rows.at(-1)!.id);
    const params = rows.map((row) => JSON.parse(row.params) as { account_uid?: unknown; occurred_at?: unknown });
    await query(INSERT, [
      rows.map((row) => row.contact_id),
      rows.map((row) => idOfNumber(Number(row.received_at), Number(row.id))),
      rows.map((row) => row.contact_uid),
      params.map(({ account_uid: uid }) => (typeof uid === "string" ? encodeText(uid) : null)),
      rows.map((row) => row.event_uid),
      rows.map((row) => String(row.received_at)),
      params.map(({ occurred_at: time }) => (Number.isSafeInteger(time) ? String(time) : null)),
      rows.map((row) => (row.event_key.startsWith("stamp-") ? row.event_key.slice("stamp-".length) : null)),
      rows.map((row) => row.params),
    ]);
  }
};
