import { createHmac, randomBytes } from "node:crypto";
import { recordId, toUuid } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { LONGEST_WAIT_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import { keyNamed, readKey } from "../database/service-state.js";
import type { Contact, Erased } from "../ingest/store/event-rows.js";

const KEY = "tombstones";

/** Stands for a contact, of whom its id is given, where its uid must not be known any more: nobody finds out by guessing, without the key. */
export const markOf = (key: string, contactId: string): string =>
  toUuid(createHmac("sha256", key).update(contactId).digest("hex"));

export const markOfUid = (key: string, workspace: string, uid: string): string =>
  markOf(key, recordId("contact", uid, workspace));

/** The key of a database; nothing where nobody was erased yet. */
export const knownKey = (query: Query): Promise<string | undefined> => readKey(query, KEY);

/** The key of a database. The first call makes it. */
export const keyIn = (query: Query, made = randomBytes(32).toString("hex")): Promise<string> =>
  keyNamed(query, KEY, made);

/** Makes a key that of a database. @throws StartError where it has another one */
export const keepKey = async (query: Query, key: string): Promise<void> => {
  if ((await keyIn(query, key)) !== key)
    throw new StartError("the key of these erasures is not that of the database: they are of another one");
};

export const bury = async (
  query: Query,
  { workspace, marks, at }: { workspace: string; marks: readonly string[]; at: number },
): Promise<void> => {
  await query(
    `INSERT INTO tombstones (workspace, mark, erased_at) SELECT $1, mark, $3 FROM unnest($2::uuid[]) AS erased (mark)
     ON CONFLICT (workspace, mark) DO UPDATE SET erased_at = greatest(tombstones.erased_at, excluded.erased_at)`,
    [workspace, marks, at],
  );
};

interface Tombstones extends Erased {
  /** Learns whether there is any: to be called where the generation has moved. */
  load(): Promise<void>;
}

/** Asks for the tombstones of single contacts: nobody remembers all of them. */
export const createTombstones = (query: Query): Tombstones => {
  let key: string | undefined;
  return {
    load: async () => {
      key = await knownKey(query);
    },
    of: async (contacts) => {
      if (key === undefined || contacts.length === 0) return () => undefined;
      const own = key;
      const markOfContact = ({ workspace, contactUid }: Contact) => markOfUid(own, workspace, contactUid);
      const rows = await query<{ mark: string; erased_at: number }>(
        "SELECT mark, erased_at FROM tombstones WHERE (workspace, mark) IN (SELECT * FROM unnest($1::text[], $2::uuid[]))",
        [contacts.map(({ workspace }) => workspace), contacts.map(markOfContact)],
      );
      const times = new Map(rows.map(({ mark, erased_at }) => [mark, erased_at]));
      return (contact) => (times.size === 0 ? undefined : times.get(markOfContact(contact)));
    },
    isBefore: ({ occurredAt, receivedAt, originId }, erasedAt) => {
      if (receivedAt < erasedAt) return true;
      if (occurredAt !== undefined) return occurredAt < erasedAt;
      // What is imported was received when it says. What else does not say when it occurred is taken for older for as long as such may come.
      return originId === undefined && receivedAt - erasedAt < LONGEST_WAIT_MS;
    },
  };
};
