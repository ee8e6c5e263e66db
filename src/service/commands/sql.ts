import { findMember } from "../base/json-text.js";
import { StartError } from "../base/start-error.js";
import type { Query } from "../database/database.js";
import { isUnavailable } from "../database/sql-state.js";
import type { Exported } from "../records/export.js";
import type { Commands } from "./commands.js";
import { type Format, file, format, writeRows } from "./export.js";

/** The command that asks the database itself. */
export const addSqlCommand = ({ program, reading, stdout }: Commands) =>
  program
    .command("sql")
    .description("writes the rows of a query, which can change nothing")
    .argument("<query>", "one SELECT")
    .addOption(format())
    .addOption(file())
    .action((sql: string, { format, output: file }: { format: Format; output: string | undefined }) =>
      reading(async (query) => writeRows(toExported(await ask(query, sql)), { format, file, stdout })),
    );

/** What a query begins with that only reads, behind blanks, comments and brackets. */
const READS = /^(\s|\(|--.*\n|\/\*[\s\S]*?\*\/)*(SELECT|WITH|VALUES|TABLE)\b/i;
/** Functions that do something, also where a transaction only reads; how far they reach is the server's business. */
const ACTS =
  /\b(pg_(terminate|cancel)_backend|pg_(reload|rotate|switch|drop|promote|stat_reset|advisory)\w*|lo_\w+)\s*\(/i;

interface Answer {
  row: string;
  columns: unknown;
}

/** @throws StartError that says what is wrong with the query */
const ask = async (query: Query, sql: string): Promise<Answer[]> => {
  if (!READS.test(sql)) throw wrong("another statement would change something, or gives no rows");
  const acts = ACTS.exec(sql)?.[1];
  if (acts !== undefined) throw wrong(`${acts} does something, besides reading`);
  // As JSON of the database itself: each driver has types of its own. Materialized: a spread one would lose the names.
  const rows = await query<Answer>(
    `WITH answer AS MATERIALIZED (${sql.replace(/[;\s]+$/, "")}
) SELECT row_to_json(answer)::text AS row, (SELECT count(*) FROM json_object_keys(row_to_json(answer))) AS columns FROM answer`,
  ).catch((error: Error & { hint?: string }) => {
    const words = [error.message, error.hint].filter(Boolean).join(". ");
    throw isUnavailable(error) ? error : new StartError(`the query cannot be answered, PostgreSQL says: ${words}`);
  });
  const [first] = rows;
  if (first !== undefined && Object.keys(JSON.parse(first.row)).length < Number(first.columns))
    throw wrong("two of its columns have one name: give each its own, as in SELECT a.id AS one, b.id AS other");
  return rows;
};

const wrong = (why: string) => new StartError(`the query cannot be answered, it must be one SELECT: ${why}`);

/** Members of an object keep the text that they have in its JSON: numbers may be beyond a double. */
async function* toExported(rows: Answer[]): AsyncGenerator<Exported> {
  for (const { row } of rows)
    yield Object.fromEntries(
      Object.entries(JSON.parse(row)).map(([name, value]) => [
        name,
        typeof value === "number" || (typeof value === "object" && value !== null)
          ? { json: findMember(row, name)!.text }
          : (value as string | boolean | null),
      ]),
    );
}
