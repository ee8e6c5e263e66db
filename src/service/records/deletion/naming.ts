import type { Database } from "../../database/database.js";
import { deleteListed } from "./steps.js";

/** Events in whose params a uid stands, as a whole text. */
const NAMING = "workspace = $1 AND strpos(params, $2) > 0";
const naming = (workspace: string, uid: string) => [workspace, JSON.stringify(uid)];

/** Counts the events whose params name a contact, whoever they belong to. */
export const countNaming = async ({ query }: Database, workspace: string, uid: string): Promise<number> => {
  const [row] = await query(`SELECT count(*) AS count FROM events WHERE ${NAMING}`, naming(workspace, uid));
  return Number(row!.count);
};

/** Deletes the events whose params name a contact; resolves to their number. */
export const deleteNaming = (database: Database, workspace: string, uid: string): Promise<number> =>
  deleteListed(database, workspace, { condition: NAMING, values: naming(workspace, uid), reason: "name" });
