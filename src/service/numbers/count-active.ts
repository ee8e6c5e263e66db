import type { Query } from "../database/database.js";
import { type Asked, cutByDays } from "./spans.js";
import { ACTIVE, type ActiveTable } from "./sums/keys.js";

/* How many contacts or accounts were active, in a time and in its steps. */

/**
 * Ids are digests, so those that begin with 0 are a sixteenth of all, taken by chance. Where they are so many, 16 times as
 * many is at most some 4 % off (two standard deviations), and to count all of them would take seconds.
 */
const PART = { of: 16, below: "10000000-0000-0000-0000-000000000000", enough: 2_000 };

/** How many were active, in all and in each step: counted, or above some 32,000 estimated by a sixteenth of them. */
export const countActive = async (query: Query, asked: Asked, table: ActiveTable) => {
  const { workspace, before } = asked;
  const former = { workspace, steps: [before[0]!, before.at(-1)!] };
  const part = await countBelow(query, asked, { table, below: PART.below });
  const isMany = part.total >= PART.enough;
  const [{ total, counts }, past] = await Promise.all([
    isMany ? part : countBelow(query, asked, { table }),
    countBelow(query, former, { table, ...(isMany && { below: PART.below }) }),
  ]);
  const times = isMany ? PART.of : 1;
  return {
    ...{ total: times * total, before: times * past.total },
    counts: counts.map((count) => times * count),
    approximate: isMany,
  };
};

/** @param below of the ids alone that are lower. Default: all */
const countBelow = async (
  query: Query,
  { workspace, steps }: Pick<Asked, "workspace" | "steps">,
  { table, below }: { table: ActiveTable; below?: string },
) => {
  const cuts = cutByDays(steps);
  const { id } = ACTIVE[table];
  const from = `FROM ${table} AS active JOIN unnest($2::int[], $3::date[], $4::bit(96)[]) AS cut (step, day, quarters) ON active.day = cut.day
     WHERE active.workspace = $1 AND active.day >= $5::date AND active.day <= $6::date AND active.quarters & cut.quarters <> '${"0".repeat(96)}'::bit(96)
       ${below === undefined ? "" : `AND active.${id} < '${below}'`}`;
  const values = [
    workspace,
    cuts.map(({ step }) => step),
    cuts.map(({ day }) => day),
    cuts.map(({ quarters }) => quarters),
    cuts[0]!.day,
    cuts.at(-1)!.day,
  ];
  // A step of one day alone has each once.
  const isCut = new Set(cuts.map(({ step }) => step)).size < cuts.length;
  const columns = isCut ? `DISTINCT step, ${id}` : "step";
  // Of one step that is the same.
  const isOne = steps.length === 2;
  const [rows, all] = await Promise.all([
    query<Record<string, unknown>>(
      `SELECT step, count(*) AS count FROM (SELECT ${columns} ${from}) AS active GROUP BY step`,
      values,
    ),
    isOne
      ? []
      : query<Record<string, unknown>>(
          `SELECT count(*) AS count FROM (SELECT DISTINCT ${id} ${from}) AS active`,
          values,
        ),
  ]);
  const counts = steps.slice(1).map(() => 0);
  for (const { step, count } of rows) counts[Number(step)] = Number(count);
  return { total: isOne ? counts[0]! : Number(all[0]!.count), counts };
};
