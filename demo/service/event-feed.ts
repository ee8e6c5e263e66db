import type { Database } from "./database.js";
import type { StoredEvent } from "./event.js";
import { atWriter, idAt, timeOf, writerOf } from "./event-id.js";
import { EVENT_COLUMNS, readEvent } from "./event-rows.js";

/**
 * How far a reader has come: of each writer the id up to which it has seen all events.
 *
 * Events are committed in the order of their ids by one writer, but not over all of them: a writer may be slow. So one
 * id does not say what a reader has missed, one for each writer does.
 */
export type Position = ReadonlyMap<string, string>;

export interface EventFeed {
  /** The position behind everything that is committed now, by any process. */
  now(): Promise<Position>;
  /**
   * Events of a workspace that were committed after a position, none missed and none twice.
   *
   * @param limit rows looked at, at most; `position` says how far that went, and there is more while it is behind `now()`
   */
  read(workspace: string, after: Position, limit: number): Promise<{ events: StoredEvent[]; position: Position }>;
}

/**
 * Milliseconds: no transaction lasts as long, and no two machines' clocks differ by as much. A position leaves out
 * writers that are further behind its newest id than this.
 */
const HORIZON_MS = 3_600_000;
/** Milliseconds that the last event of a writer is remembered as such: so old a position can be gone on from. */
export const REMEMBERED_MS = 7 * 24 * HORIZON_MS;

interface Writer {
  id: string;
  opened: string;
  position: string;
}

export const createEventFeed = (database: Database): EventFeed => {
  const writers = () => database.query<Writer>("SELECT id, opened, position FROM writers");
  return {
    now: async () => recent(new Map((await writers()).map(({ id, position }) => [id, position]))),
    read: async (workspace, after, limit) => {
      const ranges = new Map(
        (await writers())
          .map(
            ({ id, opened, position }) =>
              [
                id,
                { from: after.get(id) ?? [horizon(after) ?? "", justBefore(opened)].sort()[1]!, to: position },
              ] as const,
          )
          .filter(([, { from, to }]) => to > from),
      );
      if (ranges.size === 0) return { events: [], position: after };
      const first = [...ranges.values()].map(({ from }) => from).sort()[0]!;
      const last = [...ranges.values()]
        .map(({ to }) => to)
        .sort()
        .at(-1)!;
      const rows = await database.query<Record<string, unknown>>(
        `SELECT ${EVENT_COLUMNS} FROM events WHERE workspace = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4`,
        [workspace, first, last, limit],
      );
      const found = rows.map(readEvent);
      const reached = rows.length < limit ? last : found.at(-1)!.id;
      const position = new Map(after);
      for (const [writer, { from, to }] of ranges) if (reached > from) position.set(writer, [reached, to].sort()[0]!);
      return {
        events: found.filter(({ id }) => {
          const range = ranges.get(writerOf(id));
          return range !== undefined && id > range.from && id <= range.to;
        }),
        position: recent(position),
      };
    },
  };
};

/** Has more been committed since? */
export const isBehind = (position: Position, now: Position): boolean =>
  [...now].some(([writer, id]) => id > (seen(position, writer) ?? ""));

/** Is this event among those up to a position? */
export const isUpTo = (position: Position, { id }: StoredEvent): boolean => id <= (seen(position, writerOf(id)) ?? "");

/** The id up to which all events of a writer were seen; `undefined` when none of it is known to be. */
const seen = (position: Position, writer: string): string | undefined => position.get(writer) ?? horizon(position);

const justBefore = (id: string): string => atWriter(id, "0000000000");

/** Up to here a position has seen everything, whoever wrote it. */
const horizon = (position: Position): string | undefined => {
  if (position.size === 0) return undefined;
  const newest = [...position.values()].sort().at(-1)!;
  return idAt(Math.min(timeOf(newest), Date.now()) - HORIZON_MS);
};

const recent = (position: Position): Position => {
  const from = horizon(position) ?? "";
  return new Map([...position].filter(([, id]) => id > from));
};

const BYTES = 21;

/** Before the first event of all. */
const NOWHERE = "0";

/** A position as text, made of letters, digits, `-` and `_`. */
export const encodePosition = (position: Position): string =>
  position.size === 0
    ? NOWHERE
    : Buffer.from([...position].map(([writer, id]) => writer + id.replaceAll("-", "")).join(""), "hex").toString(
        "base64url",
      );

/** The position that `encodePosition` was given; `undefined` where the text is none, or is older than what is remembered. */
export const decodePosition = (text: string): Position | undefined => {
  if (text === NOWHERE) return new Map();
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length === 0 || bytes.length % BYTES !== 0 || !/^[\w-]+$/.test(text)) return undefined;
  const position = new Map<string, string>();
  for (let at = 0; at < bytes.length; at += BYTES) {
    const hex = bytes.toString("hex", at, at + BYTES);
    const id = hex.slice(10).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    position.set(hex.slice(0, 10), id);
  }
  return timeOf(horizon(position)!) > Date.now() - REMEMBERED_MS ? position : undefined;
};
