import type { Statement } from "./database.js";

/** Rows of a statement: of few numbers, so that a connection keeps each prepared, and of all that are small, as most are. */
const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128, 192, 256, 384, 512];

interface Target {
  /** Under which a connection keeps the statements: one name, one text a length. */
  name: string;
  table: string;
  columns: readonly string[];
  /** Columns that are the same in all rows, as SQL. */
  fixed?: Readonly<Record<string, string>>;
  /** What is told of each row that was not there. */
  returning: string;
  /**
   * May a row be there already, which then stays as it is? One that may is written into the log with a confirmation, of 48
   * bytes. Default: it may
   */
  mayBeThere?: boolean;
}

/**
 * Makes statements that insert rows, as `VALUES` of many: as few as have so many rows together. One of `unnest` costs as much
 * for any number of rows, and would be planned anew each time where a table is spread.
 *
 * @returns takes the values of rows, in the order of the columns
 */
export const createInsert = (target: Target) => {
  const statement = createStatement(target);
  return (rows: readonly (readonly unknown[])[]): Statement[] => {
    const statements: Statement[] = [];
    for (let from = 0; from < rows.length; ) {
      const length = LENGTHS.findLast((one) => one <= rows.length - from)!;
      statements.push(statement(rows.slice(from, from + length)));
      from += length;
    }
    return statements;
  };
};

/** @returns makes the statement of so many rows; there is one text for each number */
const createStatement = ({ name, table, columns, fixed = {}, returning, mayBeThere = true }: Target) => {
  const conflict = mayBeThere ? " ON CONFLICT DO NOTHING" : "";
  const names = [...columns, ...Object.keys(fixed)].join(", ");
  const texts = new Map<number, string>();
  const textOf = (length: number): string => {
    const row = (_: unknown, at: number) =>
      `(${[...columns.map((_, column) => `$${at * columns.length + column + 1}`), ...Object.values(fixed)].join(", ")})`;
    return `INSERT INTO ${table} (${names}) VALUES ${Array.from({ length }, row).join(", ")}${conflict} RETURNING ${returning}`;
  };
  return (rows: readonly (readonly unknown[])[]): Statement => {
    const { length } = rows;
    const text = texts.get(length) ?? textOf(length);
    texts.set(length, text);
    return { name: `${name}_${length}`, text, values: rows.flat() };
  };
};
