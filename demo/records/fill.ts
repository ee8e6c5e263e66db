import type { Query } from "../../src/service/database/database.js";
import { openExisting } from "../../src/service/database/open-database.js";
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

/** The same in the data folder of a service that runs, once. */
export const fillFolder = async (dataFolder: string): Promise<void> => {
  const { query, close } = await openExisting({ dataFolder, databaseUrl: undefined });
  try {
    const [known] = await query("SELECT id FROM users LIMIT 1");
    if (known === undefined) await seed(query);
  } finally {
    await close();
  }
};

/** Inserts rows in one statement; what is there already is left as it is. */
const insertMissing = async (query: Query, table: string, columns: string, rows: unknown[][]): Promise<void> => {
  let number = 0;
  const values = rows.map((row) => `(${row.map(() => `$${++number}`).join(",")})`).join(",");
  await query(`INSERT INTO ${table} (${columns}) VALUES ${values} ON CONFLICT DO NOTHING`, rows.flat());
};
