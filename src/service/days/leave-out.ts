import { encodeText } from "../base/exact-text.js";
import type { Database, Query } from "../database/database.js";
import { READ } from "../records/account-and-contact.js";
import { change, STEP } from "./add-events.js";
import { readEvents } from "./count-tables.js";
import { FIRST, hold, isCounted, type LeftOut } from "./counted-place.js";

/* One's own accounts and contacts, whose events count nowhere: what they have done is subtracted in steps, and added back. */

/** Members of an account whose events a step looks at. */
const MEMBERS = 100;

/**
 * Leaves somebody out of all figures, or takes it in again: from now on at once, and of before in steps.
 *
 * @returns its uid
 * @throws HttpError 404
 */
export const leaveOut = async (
  { transaction, query: ask }: Database,
  { workspace, kind, id }: { workspace: string; kind: LeftOut["kind"]; id: string },
  isLeftOut: boolean,
): Promise<string> => {
  const { unique_id: uid } = await READ[kind](ask, workspace, id);
  await transaction(async (query) => {
    const held = await hold(query, workspace);
    const own = "WHERE workspace = $1 AND kind = $2 AND id = $3";
    const [one] = await query<LeftOut>(`SELECT * FROM left_out ${own}`, [workspace, kind, id]);
    if (one !== undefined) {
      // One that is on its way gets there first, and comes back then.
      await query(`UPDATE left_out SET back = $4 ${own}`, [workspace, kind, id, !isLeftOut]);
      if (one.upto === null && !isLeftOut) await move(query, one, { workspace, upto: held.id, joins: true });
    } else if (isLeftOut) {
      const row = { kind, id, unique_id: encodeText(uid) };
      await query("INSERT INTO left_out (workspace, kind, id, unique_id) VALUES ($1, $2, $3, $4)", [
        workspace,
        kind,
        id,
        row.unique_id,
      ]);
      await move(query, row, { workspace, upto: held.id, joins: false });
    }
  });
  return uid;
};

const move = (
  query: Query,
  { kind, id }: Pick<LeftOut, "kind" | "id">,
  { workspace, upto, joins }: Pick<LeftOut, "upto" | "joins"> & { workspace: string },
) =>
  query(
    "UPDATE left_out SET upto = $4, joins = $5, contact = $6, event = $6 WHERE workspace = $1 AND kind = $2 AND id = $3",
    [workspace, kind, id, upto ?? FIRST, joins, FIRST],
  );

/** Whose events those of an account may be, behind one of them. */
const members = async (query: Query, workspace: string, { id, unique_id, contact }: LeftOut, most: number) => {
  const rows = await query<{ contact: string }>(
    `SELECT DISTINCT contact_id AS contact FROM (
       SELECT contact_id FROM account_contacts WHERE account_id = $1
       UNION ALL SELECT contact_id FROM events WHERE workspace = $2 AND unlisted AND left(account_uid, 64) = left($3, 64)) AS members
     WHERE contact_id >= $4 ORDER BY 1 LIMIT ${most}`,
    [id, workspace, unique_id, contact],
  );
  return rows.map(({ contact }) => contact);
};

/** Does the next step of somebody who is on the way. @returns whether there may be more */
export const moveOn = (database: Database, workspace: string, rows = STEP): Promise<boolean> =>
  database.transaction(async (query) => {
    const held = await hold(query, workspace);
    const one = held.leftOut.find(({ upto }) => upto !== null);
    if (one === undefined) return false;
    const { kind, id, joins, back, contact, event, upto, unique_id } = one;
    const own = "workspace = $1 AND kind = $2 AND id = $3";
    const most = Math.min(MEMBERS, rows + 1);
    const contacts = kind === "contact" ? [id] : await members(query, workspace, one, most);
    const read = await readEvents(
      query,
      held.zone,
      {
        condition: `workspace = $1 AND contact_id = ANY($2::uuid[]) AND (contact_id, id) > ($3, $4) AND id < $5${kind === "account" ? " AND account_uid = $6" : ""}`,
        values: [workspace, contacts, contact, event, upto, ...(kind === "account" ? [unique_id] : [])],
      },
      `ORDER BY contact_id, id LIMIT ${rows}`,
    );
    const last = read.length < rows ? contacts.at(-1) : read.at(-1)!.contact;
    const isDone = read.length < rows && (kind === "contact" || contacts.length < most);
    const moved = { ...one, contact: last ?? FIRST, event: read.length < rows ? upto! : read.at(-1)!.id };
    if (isDone) Object.assign(moved, { upto: null });
    const others = held.leftOut.filter((other) => other !== one);
    // Of before the step those count that are not changed yet, afterwards those that are.
    const changed = read.filter((row) => isCounted(row, { ...held, leftOut: others }));
    await change(query, held, { rows: changed, sign: joins ? 1 : -1 });
    if (!isDone)
      await query(`UPDATE left_out SET contact = $4, event = $5 WHERE ${own}`, [
        workspace,
        kind,
        id,
        moved.contact,
        moved.event,
      ]);
    else if (joins && back) await query(`DELETE FROM left_out WHERE ${own}`, [workspace, kind, id]);
    else {
      await query(`UPDATE left_out SET upto = NULL WHERE ${own}`, [workspace, kind, id]);
      // Something else was wanted meanwhile.
      if (joins || back) await move(query, one, { workspace, upto: held.id, joins: !joins });
    }
    return true;
  });
