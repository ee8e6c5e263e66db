import type { FastifyBaseLogger } from "fastify";
import { encodeText } from "../base/exact-text.js";
import { DAY_MS, HOUR_MS } from "../base/times.js";
import type { Database } from "../database/database.js";
import { tellError } from "../database/sql-state.js";
import type { Task } from "../database/tasks.js";

/* The table of dead letters: what one holds, whether there is room for it, and when it is deleted. */

/** Milliseconds for which a letter is kept. */
export const KEEP_MS = 7 * DAY_MS;
/** Letters that are deleted at a time. */
const CHUNK = 1_000;
/** Characters of what the answer said. */
const MAX_ERROR = 200;
/** Bytes that a letter takes beside its body. */
const ROW_BYTES = 512;

export interface Letter {
  id: string;
  workspace: string;
  receivedAt: number;
  status: number;
  error: string;
  /** Of the body as it was sent. */
  bytes: number;
  /** Of one that was too large its head; nothing of one that is no text. */
  body: string;
  /** See `stampOf`: by that it is judged again. */
  ofPage: boolean;
  /** Did its proof of identity hold? By that, too. Nothing where none was looked at. */
  proven: boolean | undefined;
}

/** @param most bytes of a workspace */
export const hasRoom = async ({ query }: Database, { workspace, body }: Letter, most: number): Promise<boolean> => {
  const [kept] = await query(
    `SELECT sum(${ROW_BYTES} + octet_length(body)) AS bytes FROM dead_letters WHERE workspace = $1`,
    [workspace],
  );
  return Number(kept!.bytes ?? 0) + ROW_BYTES + Buffer.byteLength(body) <= most;
};

export const insertLetter = ({ id, workspace, receivedAt, status, error, bytes, ofPage, proven, body }: Letter) => ({
  name: "insert_dead_letter",
  text: `INSERT INTO dead_letters (id, workspace, received_at, status, error, bytes, of_page, proven, body)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  values: [
    ...[id, workspace, receivedAt, status, encodeText(error.slice(0, MAX_ERROR)), bytes, ofPage, proven ?? null],
    encodeText(body),
  ],
});

/** The task that deletes letters that are older than 7 days, every hour, also where none is kept any more. */
export const deleteOldLetters = (log: FastifyBaseLogger): Task => ({
  name: "letters",
  every: HOUR_MS,
  run: async ({ transaction }) => {
    const before = Date.now() - KEEP_MS;
    const step = () =>
      transaction((query) =>
        query(
          `DELETE FROM dead_letters WHERE id IN
             (SELECT id FROM dead_letters WHERE received_at < $1 LIMIT ${CHUNK}) RETURNING 1 AS gone`,
          [before],
        ),
      );
    while ((await step()).length === CHUNK);
  },
  failed: (error) => log.warn(`old dead letters could not be deleted: ${tellError(error)}`),
});
