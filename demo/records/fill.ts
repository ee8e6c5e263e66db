import { DEFAULT_WORKSPACE } from "../../src/service/base/exact-text.js";
import type { Database, Query } from "../../src/service/database/database.js";
import { idAt } from "../../src/service/database/event-id.js";
import { openDatabase } from "../../src/service/database/open-database.js";
import { turnOf } from "../../src/service/days/count-task.js";
import { deleteInSteps } from "../../src/service/deletion/delete-in-steps.js";
import { insertEvents, type NewEvent } from "../../src/service/ingest/store/event-rows.js";
import { RECORDS } from "./records.js";

/** Writes the demo's records into a database that has none. */
export const seed = async (query: Query): Promise<void> => {
  const { accounts, contacts, memberships, users } = RECORDS;
  const records = "id, unique_id, created_at";
  await insertMissing(query, "accounts", `${records}, data, stage, health`, accounts);
  await insertMissing(query, "contacts", `${records}, archived, data, stage, health`, contacts);
  await insertMissing(query, "account_contacts", "account_id, contact_id", memberships);
  await insertMissing(query, "users", "id, email, name, role, enabled, created_at", users);
};

/** As many as one statement takes. */
const CHUNK = 500;

/** What is older is settled. */
const SETTLED_MS = 120_000;

/**
 * Writes events of the past into a database that has none. Their ids are of their own time, so they are settled; all come at once, as a
 * service that counts beside it would never look behind its place again.
 */
export const writePast = async (write: Database["write"], events: readonly NewEvent[]): Promise<void> => {
  const starts = Array.from({ length: Math.ceil(events.length / CHUNK) }, (_, at) => at * CHUNK);
  const statements = starts.flatMap((from) => {
    const some = events.slice(from, from + CHUNK);
    const ids = some.map(({ receivedAt }, at) => idAt(receivedAt).slice(0, -12) + `${from + at}`.padStart(12, "0"));
    return insertEvents(ids, some);
  });
  await write(statements);
};

/** The events that were made: those of a page are never imported. */
const MADE = {
  condition: `workspace = $1 AND origin_id IS NOT NULL AND strpos(params, '"made":true') > 0`,
  values: [DEFAULT_WORKSPACE],
};

/** Works over the database in the data folder of a service that runs. */
const over = async <T>(dataFolder: string, work: (database: Database) => Promise<T>): Promise<T> => {
  const database = await openDatabase({ dataFolder, databaseUrl: undefined }, "tables");
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

/** Writes records, and events where they are given, into a data folder that has no records yet. */
export const fillFolder = (dataFolder: string, events: readonly NewEvent[] = []): Promise<void> =>
  over(dataFolder, async (database) => {
    const [known] = await database.query("SELECT id FROM users LIMIT 1");
    if (known !== undefined) return;
    const [used] = await database.query("SELECT 1 AS found FROM events LIMIT 1");
    if (used === undefined) await writePast(database.write, events);
    // The service would count them within ten seconds: whoever looks at once sees figures.
    const end = idAt(Date.now() - SETTLED_MS);
    while (await turnOf(database, DEFAULT_WORKSPACE, end));
    await seed(database.query);
  });

export const countMade = (dataFolder: string): Promise<number> =>
  over(dataFolder, async ({ query }) => {
    const [row] = await query(`SELECT count(*) AS count FROM events WHERE ${MADE.condition}`, MADE.values);
    return Number(row!.count);
  });

/** Takes the events out that were made; what visitors did, and the records, stay. */
export const removeMade = (dataFolder: string): Promise<number> =>
  over(dataFolder, (database) => deleteInSteps(database, DEFAULT_WORKSPACE, { ...MADE, reason: "name" }));

/** Inserts rows in one statement; what is there already is left as it is. */
const insertMissing = async (query: Query, table: string, columns: string, rows: unknown[][]): Promise<void> => {
  let number = 0;
  const values = rows.map((row) => `(${row.map(() => `$${++number}`).join(",")})`).join(",");
  await query(`INSERT INTO ${table} (${columns}) VALUES ${values} ON CONFLICT DO NOTHING`, rows.flat());
};
