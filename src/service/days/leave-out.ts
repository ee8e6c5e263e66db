import { encodeText } from "../base/exact-text.js";
import type { Database, Query } from "../database/database.js";
import { READ } from "../records/account-and-contact.js";
import { change, STEP } from "./add-events.js";
import { readEvents } from "./count-tables.js";
import { FIRST, type Held, hold, isCounted, type LeftOut, setColumns } from "./counted-place.js";

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
    const one = held.leftOut.find((other) => other.kind === kind && other.id === id);
    if (one === undefined && isLeftOut)
      await query("INSERT INTO left_out (workspace, kind, id, unique_id) VALUES ($1, $2, $3, $4)", [
        workspace,
        kind,
        id,
        encodeText(uid),
      ]);
    // One that is on its way gets there first, and comes back then.
    const begins = one === undefined || (one.upto === null && !isLeftOut);
    const values = { back: one !== undefined && !isLeftOut, ...(begins && { ...fromFirst(held), joins: !isLeftOut }) };
    await setColumns(query, "left_out", { workspace, kind, id }, values);
  });
  return uid;
};

/** Where the steps begin, and end. */
const fromFirst = (held: Held) => ({ upto: held.id ?? FIRST, contact: FIRST, event: FIRST });

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
    const isRead = read.length < rows;
    const isDone = isRead && (kind === "contact" || contacts.length < most);
    const to = {
      upto: isDone ? null : upto,
      contact: (isRead ? contacts.at(-1) : read.at(-1)!.contact) ?? FIRST,
      event: isRead ? upto! : read.at(-1)!.id,
    };
    const others = held.leftOut.filter((other) => other !== one);
    // Of before the step those count that are not changed yet, afterwards those that are.
    const changed = read.filter((row) => isCounted(row, { ...held, leftOut: others }));
    await change(query, held, { rows: changed, sign: joins ? 1 : -1 });
    if (isDone && joins && back)
      await query("DELETE FROM left_out WHERE workspace = $1 AND kind = $2 AND id = $3", [workspace, kind, id]);
    else {
      // Something else was wanted meanwhile.
      const next = isDone && (joins || back) ? { ...fromFirst(held), joins: !joins } : to;
      await setColumns(query, "left_out", { workspace, kind, id }, next);
    }
    return true;
  });
