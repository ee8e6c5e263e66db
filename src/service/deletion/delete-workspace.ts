import { removeWorkspace } from "../access/tokens.js";
import { countIn, type Database, type Query } from "../database/database.js";
import { ALL_TABLES } from "../days/count-tables.js";
import { forgetArchives } from "../records/known-archives.js";
import { afterAllHaveEnded, deleteInSteps } from "./delete-in-steps.js";

/** Tables of a workspace's rows that nothing else tells of; its records and events come before. */
const OTHERS = [
  "deletions",
  "tombstones",
  "left_out",
  "counted",
  "days_stale",
  "totals",
  ...ALL_TABLES.flatMap((table) => [table, `${table}_anew`]),
];

const RECORDS = ["accounts", "contacts", "users"];

export const countWorkspace = async (query: Query, workspace: string) => {
  const count = (table: string) => countIn(query, `${table} WHERE workspace = $1`, [workspace]);
  let records = 0;
  for (const table of RECORDS) records += await count(table);
  return { events: await count("events"), records };
};

/**
 * Deletes a workspace with all that belongs to it; resolves to the number of events, and of other records. Nobody follows
 * it any more. Once it is taken out, nothing of it begins to be stored.
 */
export const deleteWorkspace = async (database: Database, workspace: string) => {
  await database.transaction((query) => removeWorkspace(query, workspace));
  await afterAllHaveEnded(database.query);
  const events = await deleteInSteps(database, workspace, { condition: "workspace = $1", values: [workspace] });
  const records = await database.transaction(async (query) => {
    for (const kind of ["account", "contact"])
      await query(`DELETE FROM account_contacts WHERE ${kind}_id IN (SELECT id FROM ${kind}s WHERE workspace = $1)`, [
        workspace,
      ]);
    let deleted = 0;
    for (const table of RECORDS)
      deleted += (await query(`DELETE FROM ${table} WHERE workspace = $1 RETURNING id`, [workspace])).length;
    await forgetArchives(query, workspace);
    for (const table of OTHERS) await query(`DELETE FROM ${table} WHERE workspace = $1`, [workspace]);
    return deleted;
  });
  return { events, records };
};
