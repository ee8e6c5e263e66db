import type { Copying } from "../../database/database.js";
import { copied, type Table } from "./tables.js";

/*
 * The rows of tables as one script: `COPY … FROM stdin;`, the rows as text, and `\.` in a line of its own, which no row can be.
 */

const [BEGIN, BEHIND] = ["COPY ", " FROM stdin;"];
const END = Buffer.from("\n\\.\n");

/** Writes the tables of a database. */
export async function* writeScript({ read }: Copying, tables: readonly Table[]): AsyncGenerator<Buffer | string> {
  for (const table of tables) {
    yield `${BEGIN}${copied(table)}${BEHIND}\n`;
    yield* read(copied(table));
    yield "\\.\n";
  }
}

/** The rows of a table. */
export interface Section {
  name: string;
  /** Its name and columns. */
  what: string;
  /** To be read to their end before the next section. */
  rows: AsyncIterable<Buffer>;
}

/** Reads what `writeScript` has written. @throws Error where it is something else, or ends too early */
export async function* readScript(script: AsyncIterable<Buffer>): AsyncGenerator<Section> {
  const input = script[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const { value, done } = await input.next();
    if (!done) rest = Buffer.concat([rest, value]);
    return !done;
  };
  /** Up to what follows them, which is taken away, too; the last bytes may be its beginning. */
  async function* until(end: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = rest.indexOf(end);
      const upTo = at >= 0 ? at : Math.max(0, rest.length - end.length + 1);
      const [piece, behind] = [rest.subarray(0, upTo), rest.subarray(at >= 0 ? at + end.length : upTo)];
      rest = behind;
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      if (!(await more())) throw new Error("it ends too early");
    }
  }
  async function* rows(): AsyncGenerator<Buffer> {
    // The end of the line before belongs to the end of the rows: there may be none.
    rest = Buffer.concat([Buffer.from("\n"), rest]);
    let isFirst = true;
    for await (const piece of until(END)) {
      yield isFirst ? piece.subarray(1) : piece;
      isFirst = false;
    }
    if (!isFirst) yield Buffer.from("\n");
  }
  while (rest.length > 0 || (await more())) {
    let line = "";
    for await (const piece of until(Buffer.from("\n"))) line += piece;
    const what = line.slice(BEGIN.length, -BEHIND.length);
    if (line !== `${BEGIN}${what}${BEHIND}` || !/^\w+ \([\w", ]+\)$/.test(what))
      throw new Error("it is no script of COPY");
    yield { name: what.slice(0, what.indexOf(" ")), what, rows: rows() };
  }
}
