import { setTimeout as sleep } from "node:timers/promises";
import type { Query } from "../../database/database.js";
import { askNodes } from "../../database/settled.js";

/** The transactions of a node that have written, or are prepared. */
const WRITING = `SELECT string_agg(transactionid::text, ' ') AS result FROM pg_locks
  WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted
    AND (pid IS NULL OR pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database()))`;

/** Milliseconds between two looks whether they have ended, and after which that is given up: none of ours lasts so long. */
const [LOOK_MS, LONGEST_MS] = [10, 60_000];

/**
 * To be called after the generation was moved: resolves when each transaction has ended that had begun to write until then. One that
 * stores reads the generation as its last statement, when it has written: either it is seen here, or it sees that this has moved.
 *
 * @throws Error of an unavailable database where one does not end
 */
export const afterAllHaveEnded = async (query: Query): Promise<void> => {
  const writing = async (): Promise<Set<string>> => {
    const nodes = await askNodes(query, WRITING);
    return new Set(
      nodes.flatMap((node, at) =>
        (node ?? "")
          .split(" ")
          .filter(Boolean)
          .map((id) => `${at} ${id}`),
      ),
    );
  };
  const until = performance.now() + LONGEST_MS;
  // Twice: what has been open at one node may be prepared at another meanwhile, and the generation itself may be so.
  for (let round = 0; round < 2; round += 1) {
    let begun = await writing();
    while (begun.size > 0) {
      if (performance.now() > until)
        throw Object.assign(new Error("a transaction that had begun before does not end"), { code: "57014" });
      await sleep(LOOK_MS);
      const still = await writing();
      begun = new Set([...begun].filter((one) => still.has(one)));
    }
  }
};
