import { DAY_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";
import { idAt, timeOf } from "../../database/event-id.js";
import type { Range } from "./files/copied-events.js";

const dayOf = (time: number): number => time - (time % DAY_MS);

/** Up to where events may be taken, and in what files. */
export interface Until {
  /** The first id that is not settled yet. */
  settled: string;
  /** Takes what is settled of a day that is not over, too. */
  now: boolean;
}

/** The events of the next file: those of a day (UTC), once that is over; nothing where there is none yet. @param place from where on */
export const nextRange = async (
  query: Query,
  { workspace, place }: { workspace: string; place: string | undefined },
  { settled, now }: Until,
): Promise<Range | undefined> => {
  const [first] = await query<{ id: string }>(
    "SELECT id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 1",
    [workspace, place ?? idAt(0), settled],
  );
  if (first === undefined) return undefined;
  const end = timeOf(settled);
  const from = Math.max(dayOf(timeOf(first.id)), place === undefined ? 0 : timeOf(place));
  const day = dayOf(from) + DAY_MS;
  if (day <= end) return { from: idAt(from), to: idAt(day) };
  return now ? { from: idAt(from), to: settled } : undefined;
};

/** What a file of a range is called: by its beginning alone, so that what was broken off is written again over itself. */
export const nameOfRange = ({ from }: Range): string => {
  const at = new Date(timeOf(from)).toISOString();
  const begin = timeOf(from) % DAY_MS === 0 ? at.slice(0, 10) : at.replaceAll(":", "-");
  return `day=${at.slice(0, 10)}/${begin}.parquet`;
};

/** From where on nothing has come that is in no file: the last day that is over is behind us, though it had no event. */
export const restingPlace = (place: string, { settled }: Until): string => {
  const day = idAt(dayOf(timeOf(settled)));
  return day > place ? day : place;
};
