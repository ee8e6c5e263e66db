import { listWorkspaces } from "../../access/token-store.js";
import { StartError } from "../../base/start-error.js";
import { DAY_MS } from "../../base/times.js";
import type { Database, Query } from "../../database/database.js";
import { timeOf } from "../../database/event-id.js";
import { createSettled } from "../../database/settled.js";
import { forgetArchives, idOfDatabase, noteArchiveRun } from "../../records/archives.js";
import type { Commands } from "../commands.js";
import { untilSettled } from "../export/follow.js";
import type { Store } from "./folder-store.js";
import type { Until } from "./ranges.js";

interface ArchiveArguments {
  now?: boolean;
  check?: true;
  forget?: true;
  deleteOlderThan?: number;
  workspace?: string;
}

type Needed = Pick<Commands, "program" | "workspace" | "days" | "over" | "say" | "bounds">;

/** The command that puts events into files which warehouses read, and takes out of them whoever was erased. */
export const addArchiveCommand = ({ program, workspace, days, over, say, bounds }: Needed) =>
  program
    .command("archive")
    .description(
      "puts the events of each day that is over into a Parquet file, and takes whoever was erased out of files; for cron",
    )
    .argument("<place>", "a folder")
    .option("--now", "also what has come of today, into a file of its own; the rest follows in another one")
    .option("--check", "instead: compares the files with the database")
    .option("--forget", "instead: the database knows no more of this archive, whose files nobody keeps clean then")
    .addOption(
      days("--delete-older-than <days>", "instead: deletes from the database what is older, and is in these files"),
    )
    .addOption(workspace().default(undefined, "all"))
    .action((place: string, { now = false, check, forget, deleteOlderThan, workspace }: ArchiveArguments) =>
      over(async (database) => {
        if (deleteOlderThan !== undefined) {
          const { deleteArchived } = await import("./archived-retention.js");
          return deleteArchived(database, { place, before: Date.now() - deleteOlderThan * DAY_MS, say });
        }
        const workspaces = workspace === undefined ? await listWorkspaces(database.query) : [workspace];
        // Loaded where it is needed only.
        const { isBucket, openFolder } = await import("./folder-store.js");
        if (forget && isBucket(place)) {
          for (const workspace of workspaces) await forgetPlace(database, { workspace, place, say });
          return;
        }
        const store = openFolder(place);
        try {
          let isThere = false;
          for (const workspace of workspaces) {
            const at = { workspace, store, say };
            if (forget) await forgetOne(database, at);
            else if (check) isThere = (await checkOne(database, at)) || isThere;
            else {
              const waiting = { settled: createSettled(database.query, bounds), say, what: "the newest erasure" };
              const settled = await untilSettled(await newestErasure(database.query, workspace), waiting);
              await archiveOne(database, at, { settled, now });
            }
          }
          if (check && !isThere) throw new StartError(`there is no archive in ${store.place}`);
        } finally {
          await store.close();
        }
      }),
    );

interface At {
  workspace: string;
  store: Store;
  say(line: string): void;
}

/** Of the notices whose events are to be taken out of files: whoever was erased before is in none behind this run. */
const newestErasure = async (query: Query, workspace: string): Promise<string | undefined> =>
  (
    await query<{ id: string }>(
      "SELECT id FROM deletions WHERE workspace = $1 AND (marks IS NOT NULL OR reason = 'name') ORDER BY id DESC LIMIT 1",
      [workspace],
    )
  )[0]?.id;

const archiveOne = async (database: Database, { workspace, store, say }: At, until: Until): Promise<void> => {
  const { archiveWorkspace } = await import("./archive-run.js");
  const { events, files, erased, rewritten, manifest } = await archiveWorkspace(database, workspace, { store, until });
  if (manifest !== undefined) await noteArchiveRun(database.query, workspace, store.place);
  if (manifest === undefined)
    return say(`${workspace}: there is no event of a day that is over; --now takes those of today`);
  say(`${workspace}: wrote ${events} events to ${files} files: all that was stored before ${timeText(manifest.place)}`);
  say(
    `${workspace}: took ${erased} deleted events out of ${rewritten} files: nothing is in any that was erased before ${timeText(manifest.clean)}`,
  );
};

/** Resolves to whether there is any. */
const checkOne = async ({ query }: Database, { workspace, store, say }: At): Promise<boolean> => {
  const { compareArchive } = await import("./compare-archive.js");
  const compared = await compareArchive(query, workspace, store);
  if (compared === undefined) return false;
  const { files, events, beyond, wrong, manifest, isOlder } = compared;
  if (wrong.length > 0) throw new StartError(wrong.map((line) => `${store.place}/${line}`).join("\n"));
  const { writeManifest } = await import("./manifest.js");
  if (isOlder) await writeManifest(store, { ...manifest, database: await idOfDatabase(query) });
  const note =
    beyond > 0 ? `; of ${beyond} files retention has deleted events here, and they are as the manifest says` : "";
  say(`${workspace}: ${events} events in ${files} files are as they should be${note}`);
  return true;
};

const forgetOne = async (database: Database, { workspace, store, say }: At): Promise<void> => {
  const { readManifest, writeManifest } = await import("./manifest.js");
  const manifest = await readManifest(store, workspace);
  const isOwn = [undefined, await idOfDatabase(database.query)].includes(manifest?.database);
  if (manifest !== undefined && isOwn) await writeManifest(store, { ...manifest, forgotten: true });
  await forgetPlace(database, { workspace, place: store.place, say });
};

const forgetPlace = async (
  { query }: Database,
  { workspace, place, say }: Pick<At, "workspace" | "say"> & { place: string },
): Promise<void> => {
  const isKnown = await forgetArchives(query, workspace, place);
  say(`${workspace}: ${isKnown ? "forgot the archive" : "knows no archive"} in ${place}`);
};

const timeText = (id: string): string => new Date(timeOf(id)).toISOString();
