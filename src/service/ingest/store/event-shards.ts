import { recordId } from "../../base/exact-text.js";
import type { Database, Shard } from "../../database/database.js";
import type { NewEvent } from "./rows.js";

/* Where events and their accounts lie, if the database is spread. */

/** What is not spread. */
const WHOLE: Shard = { id: 0, node: 0 };

/** Where the contact of an event lies, with its events, and where its account does. */
export const shardsOf = (database: Database) => {
  const shardOf = (kind: "account" | "contact", uid: string, workspace: string): Shard =>
    database.shardOf?.(recordId(kind, uid, workspace)) ?? WHOLE;
  return {
    contactShard: ({ workspace, contactUid }: NewEvent) => shardOf("contact", contactUid, workspace),
    accountShard: ({ workspace, accountUid }: NewEvent) => shardOf("account", accountUid!, workspace),
  };
};

/** Events by a number, in its order. */
export const partsOf = (events: readonly NewEvent[], numberOf: (event: NewEvent) => number): [number, NewEvent[]][] => {
  const parts = new Map<number, NewEvent[]>();
  for (const event of events) {
    const number = numberOf(event);
    const part = parts.get(number);
    if (part === undefined) parts.set(number, [event]);
    else part.push(event);
  }
  return [...parts].sort(([a], [b]) => a - b);
};
