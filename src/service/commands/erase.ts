import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { cannotRead, StartError } from "../base/start-error.js";
import type { Database } from "../database/database.js";
import { COMMAND, listDeeds } from "../deletion/audit.js";
import { countEvents, deleteEvents } from "../deletion/delete-chosen.js";
import { eraseAgain, eraseContacts, knownOf } from "../deletion/erasure.js";
import { linesOf, listErasures, readErasures } from "../deletion/erasure-files.js";
import { contactsThere, similarContacts } from "../records/account-and-contact.js";
import { placesOfArchives } from "../records/known-archives.js";
import type { Commands, Say } from "./context.js";

/** The commands on single people: they are erased or anonymised, and it is told who was. */
export const addEraseCommands = ({ program, workspace, use, read, say, write }: Commands): void => {
  program
    .command("erase")
    .description("erases a contact, or many: records, memberships and events")
    .argument("[uid]", "of the contact")
    .addOption(new Option("--file <file>", "instead: uids, one a line").conflicts(["everywhere", "anonymise"]))
    .addOption(
      new Option(
        "--from <erasures>",
        "instead: whoever is in a list of `backup` or of a data folder, after a copy of before was put in place",
      ).conflicts(["everywhere", "anonymise"]),
    )
    .option("--everywhere", "also events of others whose params name it")
    .addOption(
      new Option(
        "--anonymise [names]",
        "its events go to a contact of chance, with their name, their day, and these members of the params, by commas",
      ).conflicts("everywhere"),
    )
    .addOption(workspace())
    .action((uid: string | undefined, { file, from, anonymise, ...options }: EraseArguments, command: Command) => {
      if ([uid, file, from].filter((one) => one !== undefined).length !== 1)
        command.error("name a uid, or --file, or --from");
      return use(async (database) => {
        if (from !== undefined)
          return say(`erased ${await eraseAgain(database, await readErasures(from))} contacts again`);
        if (file !== undefined) return eraseListed(database, { ...options, say, file });
        const keep = anonymise === true ? [] : anonymise?.split(",");
        return eraseOne(database, { ...options, say, uid: uid!, keep });
      });
    });
  program
    .command("audit")
    .description(
      "writes whose data was read, erased or anonymised, and what commands have deleted, exported and made, one JSON object a line",
    )
    .option(
      "--erasures",
      "instead: who was erased in any workspace, without a name, for `restore --erasures` and `erase --from`",
    )
    .addOption(workspace())
    .action(({ erasures, workspace }: { erasures?: true; workspace: string }) =>
      read(async (query) =>
        write(
          erasures
            ? linesOf(await listErasures(query))
            : (await listDeeds(query, workspace)).map((line) => `${JSON.stringify(line)}\n`),
        ),
      ),
    );
};

interface EraseArguments {
  file?: string;
  from?: string;
  anonymise?: string | true;
  everywhere?: true;
  workspace: string;
}

/** Whose contacts, and who hears what is gone, and what is left. */
interface Of {
  workspace: string;
  say: Say;
}

/** Erases a contact, and what else may be of it, or name it. @param keep what of its events stays, under one of chance @throws StartError where there is nothing of it */
const eraseOne = async (
  database: Database,
  { workspace, uid, everywhere, keep, say }: Of & { uid: string; everywhere?: true; keep: string[] | undefined },
): Promise<void> => {
  const { query } = database;
  const quoted = JSON.stringify(uid);
  const others = (await similarContacts(database, workspace, uid)).map((one) => JSON.stringify(one));
  const note = others.length > 0 ? `; by case alone differ ${others.join(", ")}` : "";
  const isThere = (await contactsThere(query, workspace, [uid])).length > 0;
  const archives = await placesOfArchives(query, workspace);
  const asked = { workspace, uids: [uid], token: COMMAND, tell: say, ...(keep && { anonymise: keep }) };
  // No tombstone for a name that was only misspelt. But an archive may have whom the database has forgotten.
  const mayBe = isThere || (archives.length > 0 && keep === undefined);
  const erased = mayBe && (await eraseContacts(database, asked));
  const naming = keep ? 0 : await (everywhere ? deleteEvents : countEvents)(database, workspace, { naming: uid });
  if (!erased && !(everywhere && naming > 0))
    throw new StartError(`there is no contact ${quoted} in the workspace ${workspace}${note}`);
  if (keep && erased) say(`deleted the contact ${quoted}, and put its ${erased.events} events under one of chance`);
  else if (isThere && erased) say(`deleted the contact ${quoted} and ${erased.events} events${note}`);
  else if (erased) say(`there is no contact ${quoted} in the database${note}`);
  if (everywhere) say(`deleted ${naming} events of others that name it`);
  else if (naming > 0) say(`${naming} events name it in their params: repeat with --everywhere to delete these`);
  tellArchives(archives, say);
};

const tellArchives = (archives: readonly string[], say: Say): void => {
  if (archives.length > 0) say(`done in the database; in ${archives.join(", ")} by the next run of archive`);
};

const CHUNK = 500;

/** Erases the contacts of a file, one uid a line. @throws StartError that says how far it has come */
const eraseListed = async (database: Database, { workspace, file, say }: Of & { file: string }): Promise<void> => {
  const text = await readFile(file, "utf8").catch(cannotRead(file));
  const uids = [...new Set(text.split(/\r?\n/).filter((line) => line.trim() !== ""))];
  const unknown: string[] = [];
  const sum = { contacts: 0, events: 0 };
  const archives = await placesOfArchives(database.query, workspace);
  const told = () => `erased ${sum.contacts} of ${uids.length} contacts, ${sum.events} events`;
  for (let from = 0; from < uids.length; from += CHUNK) {
    const asked = uids.slice(from, from + CHUNK);
    const chunk = await knownOf(database.query, workspace, asked);
    unknown.push(...asked.filter((uid) => !chunk.includes(uid)));
    if (chunk.length === 0) continue;
    const erased = await eraseContacts(database, { workspace, uids: chunk, token: COMMAND, tell: say }).catch(
      (error: Error) => {
        throw new StartError(`${told()}, then ${error.message}: repeat the command`);
      },
    );
    sum.contacts += chunk.length;
    sum.events += erased.events;
  }
  say(told());
  tellArchives(archives, say);
  if (unknown.length > 0)
    throw new StartError(
      `there are no contacts ${unknown.map((uid) => JSON.stringify(uid)).join(", ")} in the workspace ${workspace}`,
    );
};
