import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { listWorkspaces } from "../access/tokens.js";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { SECONDS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { continueIds } from "../database/event-id.js";
import { createGeneration, writeAtGeneration } from "../database/generation.js";
import { transactInTime } from "../database/settled.js";
import { createTombstones } from "../deletion/tombstones.js";
import type { NewEvent } from "../ingest/store/rows.js";
import { createEventStore, type StoreOptions } from "../ingest/store/store.js";
import { type Table, type Told, TRAITS, Uid, writeRecords } from "../person/traits.js";
import type { Say } from "./commands.js";

/** Events or records that are stored together, and the characters of the params of those events. */
const [CHUNK, CHUNK_LENGTH] = [500, 8 * 2 ** 20];
/** Events between two lines of progress. */
const TELL_EVERY = 100_000;

/** Stores events that come from elsewhere as if they were sent; resolves to how many are new. */
export const storeEvents = async (
  database: Database,
  events: AsyncIterable<NewEvent>,
  { workspace, lines, say }: { workspace: string; lines: number | undefined; say: Say },
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

const strict = { additionalProperties: false };
const keys = {
  /** Given out by the service, and written by `export`; derived from `unique_id` anew. */
  id: Type.Optional(Type.String()),
  unique_id: Uid,
};
const Account = Type.Object({ ...keys, ...TRAITS.account }, strict);
const Contact = Type.Object({ ...keys, ...TRAITS.contact }, strict);
const User = Type.Object(
  {
    id: Type.Optional(Uid),
    email: Uid,
    name: Type.String(),
    role: Type.String(),
    enabled: Type.Optional(Type.Boolean()),
    created_at: Type.Optional(Type.Integer(SECONDS)),
  },
  strict,
);

/** What a line of each table must be. */
export const LINES = { accounts: Compile(Account), contacts: Compile(Contact), users: Compile(User) };

/**
 * Stores records, but for contacts that were erased after what a line tells of them; resolves to the number of those. A line that
 * does not say since when there is such a contact tells of the one that was erased.
 */
export const storeRecords = async (
  database: Database,
  lines: AsyncIterable<Told>,
  { table, workspace }: { table: Table; workspace: string },
): Promise<number> => {
  const { generation, erased: graves } = await readState(database);
  let erased = 0;
  let chunk: Told[] = [];
  const store = async () => {
    const contactOf = ({ unique_id }: Told) => ({ workspace, contactUid: unique_id! });
    const stored = await writeAtGeneration(generation, async (believed) => {
      const erasedAt = await graves.of(table === "contacts" ? chunk.map(contactOf) : []);
      const lines = chunk.filter((line) => {
        const at = erasedAt(contactOf(line));
        return at === undefined || (line.created_at ?? 0) * 1_000 >= at;
      });
      const write = (query: Query) => writeRecords(query, table, workspace, lines);
      if (lines.length > 0) await transactInTime(database, write, { generation: believed });
      return lines.length;
    });
    erased += chunk.length - stored;
    chunk = [];
  };
  for await (const line of lines) {
    chunk.push(line);
    if (chunk.length === CHUNK) await store();
  }
  await store();
  return erased;
};

/** What a command that stores must know of the database, read anew where the generation has moved: as a running service does. */
export const readState = async ({
  query,
}: Database): Promise<Pick<StoreOptions, "generation" | "erased" | "isServed">> => {
  const erased = createTombstones(query);
  let workspaces: string[] = [];
  const generation = await createGeneration(query, {
    moved: async () => {
      workspaces = await listWorkspaces(query);
      await erased.load();
    },
  });
  // That one is never deleted.
  return {
    generation,
    erased,
    isServed: (workspace) => workspace === DEFAULT_WORKSPACE || workspaces.includes(workspace),
  };
};
