import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { StartError } from "../base/start-error.js";
import { addressesOf } from "../config/options.js";
import type { Query } from "../database/database.js";
import { askNodes } from "../database/event-id.js";
import { markMoved, takeBackMove, versionsOf } from "../database/migrations.js";
import { openDatabase, type Where } from "../database/open-database.js";
import { eraseAgain } from "../deletion/erasure.js";
import { readErasures } from "../deletion/erasure-files.js";
import { markRestored } from "../records/lost-places.js";
import type { Commands } from "./context.js";
import { countRows, listTables, loadScript, readDump, readHeader, tellCounts, writeScript } from "./dump.js";

export const addRestoreCommand = ({ program, config, say }: Commands) =>
  program
    .command("restore")
    .description("loads what `dump` wrote into an empty database, all of it or nothing")
    .argument("<file>", "which `dump` wrote")
    .option(
      "--erasures <file>",
      "erases again whoever is in this list; its key is in the file of that name with .key, or in the dump",
    )
    .action((file: string, { erasures }: { erasures?: string }) => restoreDump(config, file, { erasures, say }));

export const restoreDump = async (
  config: Where,
  file: string,
  { erasures, say }: Pick<Commands, "say"> & { erasures?: string | undefined },
): Promise<void> => {
  const header = await readHeader(file);
  const erased = erasures === undefined ? undefined : await readErasures(erasures);
  let { rows } = header;
  const database = await openDatabase(config, { empty: header.tables }, say);
  try {
    let again = 0;
    const load = database.copying!(async (copying) => {
      const { query } = copying;
      rows = await loadScript(copying, readDump(file), { counts: header.rows, say });
      await markRestored(query, header.settled);
      // In the same transaction: one that ends in between would leave the erased there, for anybody who starts on it.
      const { tidy: _, ...rest } = database;
      const within = { ...rest, query, transaction: <T>(work: (ask: Query) => Promise<T>) => work(query) };
      if (erased !== undefined) again = await eraseAgain(within, erased, true);
    });
    await load.catch(async (error) => {
      // The database may have met the damage before its checksum was known.
      for await (const _ of readDump(file));
      throw error;
    });
    if (erased !== undefined) {
      const end = erased.marks.reduce((last, { erased_at }) => Math.max(last, erased_at), 0);
      say(`erased ${again} contacts again`);
      say(
        end === 0
          ? "the list names nobody: whoever was erased since is in it again"
          : `the list ends at ${new Date(end).toISOString()}: whoever was erased later is in it again`,
      );
    }
  } finally {
    await database.close();
  }
  say(`restored ${tellCounts(rows)}, as they were at ${header.taken}`);
  if (erased === undefined) say(`whoever was erased after ${header.taken} is in it again: --erasures leaves them out`);
  say(`who follows, and has come further than ${header.settled}, is refused with a line that says how to go on`);
};

/** The command that moves all data to another database, and lets no service start on this one any more. */
export const addMoveCommand = ({ program, config, use, say }: Commands) =>
  program
    .command("move-to")
    .description("copies all tables into an empty database of another server, while no service runs")
    .argument("[url]", "of that database, as in DATABASE_URL")
    .option("--back", "instead: services start on this one again, after a move from it")
    .action(async (url: string | undefined, { back }: { back?: true }, command: Command) => {
      if (back && url === undefined)
        return use(async ({ query }) => {
          if (!(await takeBackMove(query))) throw new StartError("nothing was moved from this database");
          say("services start on this database again; what the other one has got since is not in it");
        }, "nothing");
      if (back || url === undefined || addressesOf(url).length === 0)
        command.error("the URL of the database is none, as in postgresql://user@host/name");
      return use(async ({ query, copying }) => {
        const needs = { empty: await versionsOf(query) };
        const target = await openDatabase({ ...config, databaseUrl: url }, needs).catch((error: Error) => {
          throw new StartError(error.message.replace(" of DATABASE_URL", " to move to"));
        });
        const move = copying!(async (from) => {
          // Who starts now waits for this, and is seen at the end.
          await from.query("LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE");
          await requireAlone(query);
          // The other database is committed first: what breaks off in between is there twice, and nothing is lost.
          return target.copying!(async (to) => {
            const tables = await listTables(from.query);
            const counts = await countRows(from.query, tables);
            const loaded = await loadScript(to, writeScript(from, tables), { counts, say });
            await requireAlone(query);
            await markMoved(from.query);
            return loaded;
          });
        });
        say(`moved ${tellCounts(await move.finally(target.close))}: set DATABASE_URL to the other database`);
      });
    });

/** Those that are connected with the same role, but for who asks, and who has locked the versions of the tables. */
const OTHERS = `SELECT count(*)::text AS result FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
    AND application_name NOT LIKE 'citus%' AND pid <> pg_backend_pid() AND pid NOT IN (
      SELECT pid FROM pg_locks WHERE relation = to_regclass('schema_migrations') AND mode = 'AccessExclusiveLock' AND granted)`;

/** Milliseconds that a connection may take that is just being closed, and after which it is asked for again. */
const [CLOSING_MS, POLL_MS] = [2_000, 50];

/** @throws StartError where somebody else is connected: a service, who follows it, another command */
const requireAlone = async (query: Query): Promise<void> => {
  for (const began = performance.now(); ; await sleep(POLL_MS)) {
    const count = (await askNodes(query, OTHERS)).reduce((sum, others) => sum + Number(others), 0);
    if (count === 0) return;
    if (performance.now() > began + CLOSING_MS)
      throw new StartError(
        `others are connected to the database (${count} connections of the same role): stop the service, and who follows it`,
      );
  }
};
