import { DAY_MS, HOUR_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";
import { idAt, timeOf } from "../../database/event-id.js";
import type { Range } from "./files/copied-events.js";

/** A day with more events has a file for each hour. */
const LARGE = 2_000_000;

const floor = (time: number, span: number): number => time - (time % span);

/** Up to where events may be taken, and in what files. */
export interface Until {
  /** The first id that is not settled yet. */
  settled: string;
  /** Takes what is settled of a day that is not over, too. */
  now: boolean;
  large?: number;
}

/** The events of the next file: those of a day (UTC) or an hour, once that is over; nothing where there is none yet. @param place from where on */
export const nextRange = async (
  query: Query,
  { workspace, place }: { workspace: string; place: string | undefined },
  { settled, now, large = LARGE }: Until,
): Promise<Range | undefined> => {
  const [first] = await query<{ id: string }>(
    "SELECT id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 1",
    [workspace, place ?? idAt(0), settled],
  );
  if (first === undefined) return undefined;
  const end = timeOf(settled);
  const from = Math.max(floor(timeOf(first.id), DAY_MS), place === undefined ? 0 : timeOf(place));
  const day = floor(from, DAY_MS) + DAY_MS;
  const [row] = await query("SELECT count(*) AS count FROM events WHERE workspace = $1 AND id >= $2 AND id < $3", [
    ...[workspace, idAt(from)],
    idAt(Math.min(day, end)),
  ]);
  // In a large day the hours before its first event are left out, too.
  const hour = Math.max(from, floor(timeOf(first.id), HOUR_MS));
  const [begin, to] = Number(row!.count) > large ? [hour, floor(hour, HOUR_MS) + HOUR_MS] : [from, day];
  if (to <= end) return { from: idAt(begin), to: idAt(to) };
  return now ? { from: idAt(begin), to: settled } : undefined;
};

/** What a file of a range is called: by its beginning alone, so that what was broken off is written again over itself. */
export const nameOfRange = ({ from }: Range): string => {
  const at = new Date(timeOf(from)).toISOString();
  const begin = timeOf(from) % DAY_MS === 0 ? at.slice(0, 10) : at.replaceAll(":", "-");
  return `day=${at.slice(0, 10)}/${begin}.parquet`;
};

/** From where on nothing has come that is in no file: the last day that is over is behind us, though it had no event. */
export const restingPlace = (place: string, { settled }: Until): string => {
  const day = idAt(floor(timeOf(settled), DAY_MS));
  return day > place ? day : place;
};
