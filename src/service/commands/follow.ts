import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "../base/start-error.js";
import type { Query } from "../database/database.js";
import { idAt, timeOf } from "../database/event-id.js";
import { BOUNDS, createSettled, type Settled } from "../database/settled.js";
import { type Exported, type ExportOptions, exportPage, exportRows, jsonLine, type Part } from "../records/export.js";
import { lostPlace } from "../records/lost-places.js";
import type { Say } from "./commands.js";

/** Milliseconds between two looks for what has become settled. */
const LOOK_MS = 1_000;
/** Milliseconds between two lines of progress. */
const TELL_MS = 5_000;

interface Following {
  workspace: string;
  /** The id to go on from; the first of all where it is absent. */
  after?: string | undefined;
}

/** Where what is followed goes, and when that ends. */
interface Outlet {
  stdout: Writable;
  say: Say;
  signal: AbortSignal;
}

/** Hands on events and deletions in the order of their ids as they become settled, one JSON object a line, until told to end. */
export const followEvents = async (
  query: Query,
  { workspace, after = idAt(0) }: Following,
  { stdout, say, signal, bounds = BOUNDS }: Outlet & { bounds?: typeof BOUNDS },
): Promise<void> => {
  const settled = createSettled(query, bounds);
  let last = after;
  let told = { last, at: performance.now() };
  const tell = (): void => {
    if (last !== told.last)
      say(`handed on what was stored up to ${new Date(timeOf(last)).toISOString()}; go on with --after ${last}`);
    told = { last, at: performance.now() };
  };
  // The error comes with the line that it is about, too.
  stdout.on("error", () => {});
  try {
    while (!signal.aborted) {
      const lost = await lostPlace(query, workspace, last);
      if (lost !== undefined) throw new StartError(lost);
      for await (const row of settledRows(query, workspace, { after: last, before: idAt(await settled()) })) {
        await write(stdout, `${jsonLine(row)}\n`);
        last = String(row.id);
        if (performance.now() - told.at > TELL_MS) tell();
        if (signal.aborted) return;
      }
      tell();
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    tell();
  }
};

const write = (to: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    to.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** What is between two ids. */
async function* settledRows(query: Query, workspace: string, part: Part): AsyncGenerator<Exported> {
  const events = (part: Part) => exportRows(query, { table: "events", workspace }, part);
  for (let { after } = part; ; ) {
    const [deletion] = await query<{ id: string; before: string | null; ids: string[] | null; reason: string }>(
      `SELECT id, before, ids, reason FROM deletions WHERE workspace = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT 1`,
      [workspace, after, part.before],
    );
    if (deletion === undefined) return yield* events({ ...part, after });
    const { id, before, ids, reason } = deletion;
    yield* events({ after, before: id });
    yield before === null
      ? { id, deleted: { json: JSON.stringify(ids) }, reason }
      : { id, deleted_before: before, reason };
    after = id;
  }
}

/** Events up to what is settled, once the newest of them is: so none is missing that was there at the beginning. */
export const exportSettled = async (
  query: Query,
  options: ExportOptions,
  waiting: Waiting,
): Promise<AsyncGenerator<Exported>> => {
  const newest = (await exportPage(query, options, { limit: 1, order: "desc" })).rows[0];
  return exportRows(query, options, { before: await untilSettled(newest && String(newest.id), waiting) });
};

interface Waiting {
  settled: Settled;
  say: Say;
  /** What is waited for. Default: the newest event */
  what?: string;
}

/** Waits until a row is settled, if there is one. Resolves to the first id that is not settled yet. */
export const untilSettled = async (
  newest: string | undefined,
  { settled, say, what = "the newest event" }: Waiting,
): Promise<string> => {
  for (let isTold = false; ; isTold = true) {
    const end = await settled();
    const missing = newest === undefined ? 0 : timeOf(newest) + 1 - end;
    if (missing <= 0) return idAt(end);
    if (!isTold) say(`${what} will be settled in ${Math.ceil(missing / 1_000)} s: waiting until then`);
    await sleep(Math.min(missing, LOOK_MS));
  }
};
