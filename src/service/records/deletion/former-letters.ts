import type { FastifyBaseLogger } from "fastify";
import { HOUR_MS } from "../../base/times.js";
import { tellError } from "../../database/sql-state.js";
import type { Task } from "../../database/tasks.js";

/** Rows that are deleted at a time. */
const CHUNK = 1_000;

/**
 * The task that empties the table of refused bodies, which nothing else looks at any more, at each start and every hour: a process of
 * the build before may still write there.
 */
export const deleteFormerLetters = (log: FastifyBaseLogger): Task => ({
  name: "former letters",
  every: HOUR_MS,
  atStart: true,
  run: async ({ transaction }) => {
    const step = () =>
      transaction((query) =>
        query(`DELETE FROM dead_letters WHERE id IN (SELECT id FROM dead_letters LIMIT ${CHUNK}) RETURNING 1 AS gone`),
      );
    while ((await step()).length === CHUNK);
  },
  failed: (error) => log.warn(`the refused bodies of a former build could not be deleted: ${tellError(error)}`),
});
