import { StartError } from "../../base/start-error.js";
import type { Database } from "../../database/database.js";
import { continueIds } from "../../database/event-id.js";
import type { NewEvent } from "../../ingest/store/rows.js";
import { createEventStore } from "../../ingest/store/store.js";
import { readState } from "./state.js";

/** Events that are stored together, and the characters of their params. */
const [CHUNK, CHUNK_LENGTH] = [500, 8 * 2 ** 20];
/** Events between two lines of progress. */
const TELL_EVERY = 100_000;

/** Stores events that come from elsewhere as if they were sent; resolves to how many are new. */
export const storeEvents = async (
  database: Database,
  events: AsyncIterable<NewEvent>,
  { workspace, lines, say }: { workspace: string; lines: number | undefined; say(line: string): void },
): Promise<number> => {
  await continueIds(database.query, workspace);
  const so = (read: number) => `${read}${lines === undefined ? "" : ` of ${lines}`} events are done`;
  let [read, erased, repeated, length] = [0, 0, 0, 0];
  const leftOut = () => {
    erased += 1;
  };
  const onRepeat = () => {
    repeated += 1;
  };
  const { add } = createEventStore(database, { ...(await readState(database)), leftOut });
  let chunk: NewEvent[] = [];
  const store = async () => {
    const news = await notFromHere(database, workspace, chunk);
    repeated += chunk.length - news.length;
    await Promise.all(news.map((event) => add({ ...event, onRepeat })));
    read += chunk.length;
    [chunk, length] = [[], 0];
    if (read % TELL_EVERY === 0) say(so(read));
  };
  try {
    for await (const event of events) {
      chunk.push(event);
      length += event.params.length;
      if (chunk.length === CHUNK || length > CHUNK_LENGTH) await store();
    }
    if (chunk.length > 0) await store();
  } catch (error) {
    throw new StartError(`${so(read)}, then ${(error as Error).message}: repeat the command to go on`);
  }
  if (repeated > 0) say(`${repeated} of ${read} events were here already`);
  if (erased > 0) say(`left out ${erased} events of contacts that were erased after them`);
  return read - erased - repeated;
};

/** Those that were not exported from this very database, where they are under their former ids. */
const notFromHere = async ({ query }: Database, workspace: string, events: NewEvent[]): Promise<NewEvent[]> => {
  const rows = await query<{ id: string }>(
    "SELECT id FROM events WHERE workspace = $1 AND id IN (SELECT unnest($2::uuid[]))",
    [workspace, events.map(({ originId }) => originId)],
  );
  const present = new Set(rows.map(({ id }) => id));
  return events.filter(({ originId }) => !present.has(originId!));
};
