import { encodeText } from "../../base/exact-text.js";
import { HOUR_MS } from "../../base/times.js";
import type { Database, Query } from "../../database/database.js";
import { ofAccount } from "../../records/export.js";
import { READ } from "../../records/records.js";
import { markStale } from "../../records/stale-hours.js";
import { addAccounts, addContacts } from "../sums/add-active.js";
import { holdSteps } from "../sums/behind.js";
import { count } from "../sums/keys.js";
import { type Kind, type Named, namesOf } from "./names.js";

/*
 * One's own accounts and contacts, whose events count nowhere: a list for each workspace. Who comes into it or out of it has its hours counted anew.
 */

/** Those of a workspace, accounts first. */
export const listLeftOut = async (query: Query, workspace: string): Promise<(Named & { kind: Kind })[]> => {
  const rows = await query<{ kind: Kind; id: string }>(
    "SELECT kind, id FROM left_out WHERE workspace = $1 ORDER BY kind, id",
    [workspace],
  );
  const lists = await Promise.all(
    (["account", "contact"] as const).map(async (kind) => {
      const ids = rows.filter((row) => row.kind === kind).map(({ id }) => id);
      const names = await namesOf(query, kind, ids);
      return ids.map((id) => ({ kind, ...(names.get(id) ?? { id, unique_id: id, name: id }) }));
    }),
  );
  return lists.flat();
};

interface LeftOut {
  workspace: string;
  kind: Kind;
  id: string;
}

/**
 * Leaves somebody out of all figures, or takes it in again.
 *
 * @returns its uid
 * @throws HttpError 404
 */
export const leaveOut = async (
  { transaction, query: ask }: Database,
  { workspace, kind, id }: LeftOut,
  isLeftOut: boolean,
): Promise<string> => {
  const { unique_id: uid } = await READ[kind](ask, workspace, id);
  await transaction(async (query) => {
    const followed = await holdSteps(query, workspace);
    const changed = isLeftOut
      ? await query(
          "INSERT INTO left_out (workspace, kind, id, unique_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING id",
          [workspace, kind, id, encodeText(uid)],
        )
      : await query("DELETE FROM left_out WHERE workspace = $1 AND kind = $2 AND id = $3 RETURNING id", [
          workspace,
          kind,
          id,
        ]);
    if (changed.length === 0) return;
    const own = {
      condition: `workspace = $1 AND id < $2 AND ${OWN[kind]}`,
      values: [workspace, followed, id, ...(kind === "account" ? [encodeText(uid)] : [])],
    };
    const hours = await query<{ hour: unknown }>(
      `SELECT DISTINCT received_at - received_at % ${HOUR_MS} AS hour FROM events WHERE ${own.condition}`,
      own.values,
    );
    await markStale(
      query,
      workspace,
      hours.map(({ hour }) => Number(hour)),
    );
    // An hour that is counted anew finds those alone who stand there.
    if (isLeftOut) return;
    await addContacts(query, own);
    await addAccounts(query, workspace, await count(query, "active_accounts", own));
  });
  return uid;
};

const OWN = {
  contact: "contact_id = $3",
  account: ofAccount({ workspace: "$1", id: "$3", uid: "$4" }),
};
