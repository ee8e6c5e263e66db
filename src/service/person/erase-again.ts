import { decodeText } from "../base/exact-text.js";
import type { Database } from "../database/database.js";
import { moveGeneration } from "../database/generation.js";
import { afterAllHaveEnded } from "../records/deletion/fence.js";
import { copyDeeds } from "./audit.js";
import { clearContacts } from "./erasure.js";
import { appendErasures, type Erasures, type Mark, requireKey } from "./erasure-files.js";
import { bury, keepKey, keyIn, markOf } from "./tombstones.js";

/**
 * Erases again whoever of the contacts of a database is among erasures; resolves to their number. Services may run.
 *
 * @param isAlone is nobody else connected? Then it may run in one transaction. Default `false`
 */
export const eraseAgain = async (
  database: Database,
  { key: given, marks }: Erasures,
  isAlone = false,
): Promise<number> => {
  const { query, folder } = database;
  const key = given ?? (await keyIn(query));
  requireKey(key, marks);
  await keepKey(query, key);
  const times = new Map<string, Mark>();
  for (const one of marks) if (one.erased_at >= (times.get(one.mark)?.erased_at ?? 0)) times.set(one.mark, one);
  for (const { workspace, mark, erased_at } of times.values())
    await bury(query, { workspace, marks: [mark], at: erased_at });
  // Whoever has come back since an erasure that had ended before the dump stays.
  const ended = await query<{ id: string }>("SELECT id FROM audit WHERE events IS NOT NULL AND what <> 'read'");
  const done = new Set(ended.map(({ id }) => id));
  // So that `erasures` tells of them here, too.
  await copyDeeds(query, marks);
  await moveGeneration(query);
  if (!isAlone) await afterAllHaveEnded(query);
  if (folder !== undefined) await appendErasures(folder, key, marks);
  const contacts = await query<{ id: string; workspace: string; uid: string }>(
    `SELECT id, workspace, unique_id AS uid FROM contacts
     UNION SELECT contact_id, workspace, contact_uid FROM events`,
  );
  let erased = 0;
  for (const { id, workspace, uid } of contacts) {
    const found = times.get(markOf(key, id));
    if (found === undefined || done.has(found.id)) continue;
    await clearContacts(database, { workspace, uids: [decodeText(uid)], at: found.erased_at, isAlone });
    erased += 1;
  }
  return erased;
};
