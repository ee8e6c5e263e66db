import type { FastifyBaseLogger } from "fastify";
import { NIL } from "uuid";
import type { Query } from "../database/database.js";
import { idAt, newIds } from "../database/event-id.js";
import { readState, writeState } from "../database/service-state.js";
import { isReadOnly, tellError } from "../database/sql-state.js";
import type { Task } from "../database/tasks.js";

interface Deed {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  workspace: string;
  /** Name of the token, or of what else has done it. */
  token: string;
  what: string;
  /** Stands for the contact, and is the same for the same one; where it is about many `NIL`, or shown nothing. */
  subject: string | null;
  /** How many events; none where it has not come to its end. */
  events?: number | null;
}

/** Writes that something begins, with each of some people, or has begun in a database of before: lines that are here stay as they are. */
export const beginDeeds = async (query: Query, rows: readonly Deed[]): Promise<void> => {
  await query(
    `INSERT INTO audit (id, workspace, at, token, what, subject, events)
     SELECT id, workspace, at, token, what, subject, events FROM json_populate_recordset(NULL::audit, $1) ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(rows)],
  );
};

/** What the audit log calls a command. */
export const COMMAND = "command line";

/** Writes what a command, or who has a token, has done, with how many events. @param subject stands for a person or a record; nothing where it is about many */
export const noteDeed = (
  query: Query,
  { subject = NIL, ...deed }: { workspace: string; what: string; events?: number; subject?: string; token?: string },
): Promise<void> => beginDeeds(query, [{ id: newIds(1)[0]!, at: Date.now(), token: COMMAND, subject, ...deed }]);

/** The same of what only reads, as the role may: then it is said that the log does not have it. */
export const noteReading = (
  query: Query,
  deed: Parameters<typeof noteDeed>[1],
  say: (line: string) => void,
): Promise<void> =>
  noteDeed(query, deed).catch((error: unknown) => {
    if (!isReadOnly(error)) throw error;
    say("this is not in the audit log: the role only reads");
  });

/** Milliseconds after which a line is there whose id is older, and from one reading of lines to the next. */
const [LATE_MS, POLL_MS] = [60_000, 60_000];

/** The task that writes into the log what commands have done: they are other processes, and what they say is read by nobody later. */
export const tellDeeds = (log: FastifyBaseLogger): Task => ({
  name: "audit",
  every: POLL_MS,
  run: async ({ query }) => {
    const { now, audit_told: from = now - LATE_MS } = await readState(query);
    const to = now - LATE_MS;
    const rows = await query<Deed>(
      "SELECT at, workspace, what, events FROM audit WHERE id >= $1 AND id < $2 AND token = $3 ORDER BY id",
      [idAt(from), idAt(to), COMMAND],
    );
    for (const { at, workspace, what, events } of rows)
      log.info({ workspace, events, at: new Date(at).toISOString() }, `a command: ${what}`);
    await writeState(query, { audit_told: Math.max(from, to) });
  },
  failed: (error) => log.error(`what commands have done could not be told: ${tellError(error)}`),
});

/** Writes that it has ended, and how many events of each it concerned. */
export const endDeeds = async (query: Query, ids: readonly string[], events: readonly number[]): Promise<void> => {
  await query(
    `UPDATE audit SET events = line.events FROM unnest($1::uuid[], $2::bigint[]) AS line (id, events)
     WHERE audit.id = line.id`,
    [ids, events],
  );
};

export const listDeeds = async (query: Query, workspace: string) => {
  const rows = await query<Omit<Deed, "id">>(
    `SELECT at, workspace, token, what, nullif(subject, '${NIL}') AS subject, events FROM audit WHERE workspace = $1 ORDER BY id`,
    [workspace],
  );
  return rows.map((deed) => ({ ...deed, at: new Date(deed.at).toISOString() }));
};
