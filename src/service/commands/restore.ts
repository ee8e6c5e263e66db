import type { Query } from "../database/database.js";
import { openDatabase, type Where } from "../database/open-database.js";
import { eraseAgain } from "../deletion/erasure.js";
import { readErasures } from "../deletion/erasure-files.js";
import { markRestored } from "../records/lost-places.js";
import type { Commands } from "./context.js";
import { loadScript, readDump, readHeader, tellCounts } from "./dump.js";

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
