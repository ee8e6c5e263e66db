import type { Readable } from "node:stream";
import type { Copying } from "../../../database/database.js";
import { COLUMNS, emptyGroup, type Group, NAMES, READ } from "./event-columns.js";

/** Rows of a group, and characters after which it ends before that: what is held in memory. */
const [MOST_ROWS, MOST_LENGTH] = [50_000, 32_000_000];

/** Which events, by their ids. */
export interface Range {
  from: string;
  to: string;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Ids without their dashes: they are bytes in a file. */
const SELECTED = NAMES.map((name) => (COLUMNS[name].type === "UUID" ? `encode(uuid_send(${name}), 'hex')` : name));

/** The events of a range by account and time: the database sorts them, on its disk where they are many. */
export const copyEvents = ({ read }: Copying, workspace: string, { from, to }: Range): AsyncGenerator<Group> =>
  groupsOf(
    read(`(SELECT ${SELECTED} FROM events
      WHERE workspace = ${literal(workspace)} AND id >= ${literal(from)} AND id < ${literal(to)}
      ORDER BY account_uid COLLATE "C", coalesce(occurred_at, received_at), id)`),
  );

/** The rows of COPY's text format (PostgreSQL, "COPY"). */
export async function* groupsOf(stream: Readable): AsyncGenerator<Group> {
  let [group, length, rest] = [emptyGroup(), 0, ""];
  for await (const chunk of stream.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      add(group, line);
      length += line.length;
      if (group.rows < MOST_ROWS && length < MOST_LENGTH) continue;
      yield group;
      [group, length] = [emptyGroup(), 0];
    }
  }
  if (group.rows > 0) yield group;
}

const READERS = NAMES.map((name) => READ[COLUMNS[name].type]);

const add = (group: Group, line: string): void => {
  const cells = line.split("\t");
  NAMES.forEach((name, at) => {
    const cell = cells[at]!;
    group.columns[name].push(cell === "\\N" ? null : READERS[at]!(cell.includes("\\") ? unescaped(cell) : cell));
  });
  group.rows += 1;
};

const ESCAPED: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

const unescaped = (cell: string): string => cell.replace(/\\(.)/gs, (_, letter: string) => ESCAPED[letter] ?? letter);
