import type { Query } from "../database/database.js";
import { later } from "./calendar.js";
import { distinct, type Into, type Line, REST, TABLES, type Table, toPlaces, write } from "./count-tables.js";

/*
 * Strangers choose names, paths and hosts: which of them have a row of their own. What has none is the rest, which has an empty key. Once there
 * is a rest no other key gets a row, so that each has all of its events there, or none.
 */

/** How many keys of a kind a day takes as they come, and a folded one keeps; and how many names an account has in a month. Tests have fewer. */
export const KEYS = { taken: 5_000, kept: 2_000, names: 100 };
/** Names of an account on the day that is counted anew. */
const ANEW_TIMES = 10;

/** Days whose keys a day takes, too, where it is full, and more than so many of which keep a key. */
const [BEFORE, MOST] = [30, 15];

interface Keyed {
  table: Table;
  into: Into;
  /** The first day that is not folded: those before it take no more keys than they keep. */
  folded: string;
}

/** Puts the keys that get no row to the rest, where they are texts. @param lines each row once @returns such lines */
export const settleKeys = async (
  query: Query,
  workspace: string,
  lines: Line[],
  { table, into, folded }: Keyed,
): Promise<Line[]> => {
  const { date, keys } = TABLES[table];
  if (keys[1] === "account") return lines;
  const groupOf = (of: string, key: string) => `${of} ${key}`;
  const where = `workspace = $1 AND ${date} = ANY($2) AND ${keys[0]} = ANY($3)`;
  const ofAll = [workspace, distinct(lines, (line) => line.date), distinct(lines, (line) => line.keys[0])];
  const rows = await query<Record<"date" | "first" | "second", string>>(
    `SELECT ${date}::text AS date, ${keys[0]} AS first, ${keys[1]} AS second FROM ${table}${into} WHERE ${where} AND ${keys[1]} = ANY($4)`,
    [...ofAll, [REST, ...distinct(lines, (line) => line.keys[1])]],
  );
  const there = new Set(rows.map(({ date, first, second }) => `${groupOf(date, first)} ${second}`));
  const isNew = ({ date, keys: [first, second] }: Line) => !there.has(`${groupOf(date, first)} ${second}`);
  // Those that may get more rows.
  const open = new Map<string, Line[]>();
  for (const line of lines.filter(isNew)) {
    const group = groupOf(line.date, line.keys[0]);
    const isOpen = !there.has(`${group} ${REST}`) && line.events.some((one) => one > 0);
    if (isOpen) open.set(group, [...(open.get(group) ?? []), line]);
  }
  if (open.size > 0) {
    const some = [...open.values()].map(([line]) => line!);
    const counts = await query<Record<string, string>>(
      `SELECT ${date}::text AS date, ${keys[0]} AS first, count(*) AS rows FROM ${table}${into} WHERE ${where} GROUP BY 1, 2`,
      [workspace, distinct(some, (line) => line.date), distinct(some, (line) => line.keys[0])],
    );
    const filled = new Map(counts.map(({ date, first, rows }) => [groupOf(date!, first!), Number(rows)]));
    const isFolded = ({ date }: Line) => table === "days" && into === "" && date < folded;
    const mostOf = (line: Line): number => {
      if (table === "days") return isFolded(line) ? KEYS.kept - 1 : KEYS.taken;
      return KEYS.names * (into === "" ? 1 : ANEW_TIMES);
    };
    for (const [group, news] of open) {
      const room = Math.max(0, mostOf(news[0]!) - (filled.get(group) ?? 0));
      const sorted = news.sort((a, b) => total(b) - total(a) || (a.keys[1] < b.keys[1] ? -1 : 1));
      for (const { keys } of sorted.slice(0, room)) there.add(`${group} ${keys[1]}`);
      if (table !== "days" || news.length <= room || isFolded(news[0]!)) continue;
      // Now it is full: what days before it have kept has its row before there is a rest.
      const { date, keys } = news[0]!;
      const kept = await keptBefore(query, { workspace, day: date, kind: keys[0], folded });
      for (const key of kept) there.add(`${group} ${key}`);
      if (!news.some(isNew)) continue;
      const none = kept.map((key): Line => ({ date, keys: [keys[0], key], events: new Array(24).fill(0) }));
      await write(query, workspace, { table, into, lines: none, hoursFrom: date });
    }
  }
  const settled = new Map<string, Line>();
  for (const line of lines) {
    const key = isNew(line) ? REST : line.keys[1];
    const name = `${groupOf(line.date, line.keys[0])} ${key}`;
    const sum = settled.get(name);
    if (sum === undefined) settled.set(name, { ...line, keys: [line.keys[0], key], events: [...line.events] });
    else for (const [at, events] of line.events.entries()) sum.events[at]! += events;
  }
  return [...settled.values()];
};

const total = ({ events }: Line): number => events.reduce((sum, one) => sum + one);

interface Day {
  workspace: string;
  day: string;
  kind: string;
  folded: string;
}

/** The keys that a folded day of the last 30 has kept, those of the last one first. */
const keptBefore = async (query: Query, { workspace, day, kind, folded }: Day): Promise<string[]> => {
  const rows = await query<{ key: string }>(
    `SELECT key FROM days WHERE workspace = $1 AND kind = $2 AND day >= $3 AND day < least($4::date, $5::date) AND key <> '${REST}'
     GROUP BY key ORDER BY max(day) DESC, key LIMIT ${KEYS.kept - 1}`,
    [workspace, kind, later(day, -BEFORE), day, folded],
  );
  return rows.map(({ key }) => key);
};

/** Folds a day: of each kind so many keys stay, first those that most of the 30 days before it have kept, then the most frequent. */
export const fold = async (
  query: Query,
  { workspace, day, into }: { workspace: string; day: string; into: Into },
): Promise<void> => {
  const kinds = await query<{ kind: string }>(
    `SELECT kind FROM days${into} WHERE workspace = $1 AND day = $2 GROUP BY kind HAVING count(*) > $3`,
    [workspace, day, KEYS.kept],
  );
  for (const { kind } of kinds) {
    const rare = await query<{ key: string }>(
      `SELECT key FROM days${into} AS folded LEFT JOIN (
         SELECT key, count(*) > ${MOST} AS often FROM days WHERE workspace = $1 AND kind = $2 AND day >= $4 AND day < $3 GROUP BY key) AS before USING (key)
       WHERE workspace = $1 AND kind = $2 AND day = $3 AND key <> '${REST}'
       ORDER BY coalesce(often, FALSE) DESC, events DESC, key OFFSET ${KEYS.kept - 1}`,
      [workspace, kind, day, later(day, -BEFORE)],
    );
    const gone = await query<{ hours: number[] }>(
      `DELETE FROM days${into} WHERE workspace = $1 AND kind = $2 AND day = $3 AND key = ANY($4::text[]) RETURNING hours`,
      [workspace, kind, day, rare.map(({ key }) => key)],
    );
    const sums = Array.from({ length: 24 }, (_, at) => gone.reduce((sum, { hours }) => sum + hours[at]!, 0));
    const rest: Line = { date: day, keys: [kind, REST], events: toPlaces(sums) };
    await write(query, workspace, { table: "days", into, lines: [rest], hoursFrom: day });
  }
  // What was kept for a day that was full, and did not come.
  await query(`DELETE FROM days${into} WHERE workspace = $1 AND day = $2 AND events <= 0`, [workspace, day]);
};
