import { createHmac, randomBytes } from "node:crypto";
import { recordId, toUuid } from "../base/exact-text.js";
import { LONGEST_WAIT_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import type { NewEvent } from "../ingest/rows.js";

const KEY = "tombstones";

/** Whose events are no longer stored, as far as they are older than the erasure. */
export interface Tombstones {
  /** Learns anew what the database says. */
  load(): Promise<void>;
  isErased(event: Pick<NewEvent, "workspace" | "contactUid" | "occurredAt" | "receivedAt" | "originId">): boolean;
}

/** Stands for a contact where its uid must not be known any more: nobody finds out by guessing, without the key. */
const markOf = (key: string, workspace: string, uid: string): string =>
  toUuid(
    createHmac("sha256", key)
      .update(recordId("contact", uid, workspace))
      .digest("hex"),
  );

const readKey = async (query: Query): Promise<string | undefined> =>
  (await query<{ value: string }>("SELECT value FROM service_keys WHERE name = $1", [KEY]))[0]?.value;

/** Sets a tombstone; resolves to its mark. */
export const bury = async (
  query: Query,
  { workspace, uid, at }: { workspace: string; uid: string; at: number },
): Promise<string> => {
  const mark = await markIn(query, workspace, uid);
  await query(
    `INSERT INTO tombstones (workspace, mark, erased_at) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, mark) DO UPDATE SET erased_at = excluded.erased_at`,
    [workspace, mark, at],
  );
  return mark;
};

/** The mark of a contact. The first one makes the key. */
export const markIn = async (query: Query, workspace: string, uid: string): Promise<string> => {
  await query("INSERT INTO service_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", [
    KEY,
    randomBytes(32).toString("hex"),
  ]);
  return markOf((await readKey(query))!, workspace, uid);
};

export const hasTombstone = async (query: Query, workspace: string, uid: string): Promise<boolean> => {
  const key = await readKey(query);
  if (key === undefined) return false;
  const found = await query("SELECT 1 AS found FROM tombstones WHERE workspace = $1 AND mark = $2", [
    workspace,
    markOf(key, workspace, uid),
  ]);
  return found.length > 0;
};

export const createTombstones = (query: Query): Tombstones => {
  let key = "";
  /** By workspace: when each was erased, and the newest of these times. */
  let graves = new Map<string, { newest: number; marks: Map<string, number> }>();
  return {
    load: async () => {
      const [read, rows] = await Promise.all([
        readKey(query),
        query<Record<string, unknown>>("SELECT workspace, mark, erased_at FROM tombstones"),
      ]);
      const found: typeof graves = new Map();
      for (const { workspace, mark, erased_at } of rows) {
        const own = found.get(String(workspace)) ?? { newest: 0, marks: new Map() };
        found.set(String(workspace), own);
        own.marks.set(String(mark), Number(erased_at));
        own.newest = Math.max(own.newest, Number(erased_at));
      }
      [key, graves] = [read ?? "", found];
    },
    isErased: ({ workspace, contactUid, occurredAt, receivedAt, originId }) => {
      const own = graves.get(workspace);
      if (own === undefined) return false;
      // What is imported was received when it says.
      const at = occurredAt ?? (originId === undefined ? undefined : receivedAt);
      // One that does not say when it occurred is taken for an older one for as long as such a one may come.
      const isBefore = (erasedAt: number) =>
        at === undefined ? receivedAt - erasedAt < LONGEST_WAIT_MS : at < erasedAt;
      // Without a digest for what is newer than all erasures, as nearly every event is.
      if (!isBefore(own.newest)) return false;
      const erasedAt = own.marks.get(markOf(key, workspace, contactUid));
      return erasedAt !== undefined && isBefore(erasedAt);
    },
  };
};
