import type { Query } from "../database.js";

/**
 * The first tables. A database from before migrations were counted has them already.
 *
 * All SQL here and in the migrations that follow is what PostgreSQL, Citus, CockroachDB and YugabyteDB share, and there
 * are no foreign keys: Citus allows them only between tables that are distributed alike, and rows that belong together
 * are written in one transaction.
 */
export const up = async (query: Query): Promise<void> => {
  for (const statement of TABLES) await query(statement);
};

const TABLES = [
  `CREATE TABLE IF NOT EXISTS service_state (
     name  TEXT PRIMARY KEY,
     value BIGINT NOT NULL
   )`,
  `CREATE TABLE IF NOT EXISTS accounts (
     id         TEXT PRIMARY KEY,
     unique_id  TEXT NOT NULL,
     created_at BIGINT NOT NULL,
     data       TEXT NOT NULL,
     stage      TEXT NOT NULL,
     health     BIGINT NOT NULL
   )`,
  `CREATE TABLE IF NOT EXISTS contacts (
     id         TEXT PRIMARY KEY,
     unique_id  TEXT NOT NULL,
     created_at BIGINT NOT NULL,
     archived   BOOLEAN NOT NULL,
     data       TEXT NOT NULL,
     stage      TEXT,
     health     BIGINT
   )`,
  `CREATE TABLE IF NOT EXISTS account_contacts (
     account_id TEXT NOT NULL,
     contact_id TEXT NOT NULL,
     PRIMARY KEY (account_id, contact_id)
   )`,
  "CREATE INDEX IF NOT EXISTS account_contacts_by_contact ON account_contacts (contact_id, account_id)",
  `CREATE TABLE IF NOT EXISTS users (
     id         TEXT PRIMARY KEY,
     email      TEXT NOT NULL,
     name       TEXT NOT NULL,
     role       TEXT NOT NULL,
     enabled    BOOLEAN NOT NULL,
     created_at BIGINT NOT NULL
   )`,
  `CREATE TABLE IF NOT EXISTS events (
     event_key   TEXT PRIMARY KEY,
     id          BIGINT NOT NULL,
     received_at BIGINT NOT NULL,
     contact_id  TEXT NOT NULL,
     contact_uid TEXT NOT NULL,
     event_uid   TEXT NOT NULL,
     params      TEXT NOT NULL
   )`,
  "CREATE INDEX IF NOT EXISTS events_by_id ON events (id)",
];
