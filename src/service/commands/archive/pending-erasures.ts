import type { Query } from "../../database/database.js";
import { markOf } from "../../deletion/tombstones.js";
import type { Range } from "./files/copied-events.js";
import { type Group, uuidText } from "./files/event-columns.js";

/** Ids and marks that are looked for in one pass over the files: what is held in memory. */
const MOST = 200_000;

/** That all of a contact which is in front of the notice, and had occurred before a time, is erased. */
interface Erased {
  notice: string;
  at: number;
}

/** What is to be taken out of files. What retention has deleted is not: an archive is there to keep it. */
export interface Pending {
  /** The last notice. */
  last: string;
  /** By the contact's mark. */
  erased: Map<string, Erased[]>;
  ids: Set<string>;
}

/** Notices that are read at a time; each names 5,000 events at most. */
const CHUNK = 100;

/** What notices between two ids say, some at a time, oldest first. */
export async function* readPending(
  query: Query,
  workspace: string,
  { from, to }: Range,
  most = MOST,
): AsyncGenerator<Pending> {
  for (let pending = nothing(from); ; ) {
    const rows = await query<Record<string, unknown>>(
      `SELECT id, ids, marks, erased_at, reason FROM deletions
       WHERE workspace = $1 AND id > $2 AND id < $3 AND (marks IS NOT NULL OR reason = 'name') ORDER BY id LIMIT ${CHUNK}`,
      [workspace, pending.last, to],
    );
    for (const row of rows) take(pending, row);
    const isLast = rows.length < CHUNK;
    if (!isLast && sizeOf(pending) < most) continue;
    if (sizeOf(pending) > 0) yield pending;
    if (isLast) return;
    pending = nothing(pending.last);
  }
}

const nothing = (last: string): Pending => ({ last, erased: new Map(), ids: new Set() });

const sizeOf = ({ erased, ids }: Pending): number => erased.size + ids.size;

const take = (pending: Pending, { id, ids, marks, erased_at, reason }: Record<string, unknown>): void => {
  pending.last = String(id);
  if (reason === "name") for (const one of ids as string[]) pending.ids.add(one);
  for (const mark of (marks ?? []) as string[]) {
    const erased = { notice: String(id), at: Number(erased_at) };
    pending.erased.set(mark, [...(pending.erased.get(mark) ?? []), erased]);
  }
};

/** Does a file hold something of it? @param marks of the file's contacts */
export const concerns = async (
  { erased, ids }: Pending,
  { from, to }: Range,
  marks: () => AsyncIterable<string>,
): Promise<boolean> => {
  for (const id of ids) if (id >= from && id < to) return true;
  if (erased.size === 0) return false;
  for await (const mark of marks()) if (erased.get(mark)?.some(({ notice }) => notice > from)) return true;
  return false;
};

/** Tells of the rows of groups which ones stay. @param key of the marks */
export const createStays = (key: string, { erased, ids }: Pending) => {
  const known = new Map<string, readonly Erased[]>();
  const ofContact = (contact: string): readonly Erased[] => {
    const found = known.get(contact) ?? erased.get(markOf(key, contact)) ?? [];
    known.set(contact, found);
    return found;
  };
  return ({ columns }: Group, at: number): boolean => {
    const id = uuidText(columns.id[at] as Uint8Array);
    if (ids.has(id)) return false;
    const [received, occurred] = [Number(columns.received_at[at]), columns.occurred_at[at] as Date | null];
    return !ofContact(uuidText(columns.contact_id[at] as Uint8Array)).some(
      (erasure) => id < erasure.notice && (occurred === null || Number(occurred) < erasure.at || received < erasure.at),
    );
  };
};
