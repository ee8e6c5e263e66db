import type { Command } from "commander";
import { isUuid } from "../base/exact-text.js";
import { listDeeds } from "../deletion/audit.js";
import { eraseAgain } from "../deletion/erasure.js";
import { linesOf, listErasures, readErasures } from "../deletion/erasure-files.js";
import { keyIn } from "../deletion/tombstones.js";
import type { Commands } from "./commands.js";
import { anonymiseOne, type EraseArguments, eraseListed, eraseOne } from "./erase-people.js";

/** The commands on single people: they are erased or anonymised, and it is told who was. */
export const addEraseCommands = ({ program, workspace, over, reading, say, write }: Commands): void => {
  program
    .command("erase")
    .alias("delete-contact")
    .description("erases a contact, or many: records, memberships and events")
    .argument("[uid]", "of the contact")
    .option("--file <file>", "instead: uids, one a line")
    .option(
      "--from <erasures>",
      "instead: whoever is in a list of `backup` or of a data folder, after a copy of before was put in place",
    )
    .option("--everywhere", "also events of others whose params name it")
    .option(
      "--anonymise [names]",
      "its events go to a contact of chance, with their name, their day, and these members of the params, by commas",
    )
    .addOption(workspace())
    .action(
      (
        uid: string | undefined,
        {
          file,
          from,
          anonymise,
          ...options
        }: EraseArguments & { file?: string; from?: string; anonymise?: string | true },
        command: Command,
      ) => {
        if (anonymise !== undefined) {
          if (uid === undefined || file !== undefined || from !== undefined || options.everywhere)
            command.error("--anonymise is for one uid");
          const keep = anonymise === true ? [] : anonymise.split(",");
          return over((database) => anonymiseOne(database, { ...options, uid: uid!, keep, say }));
        }
        if (from !== undefined) {
          if (uid !== undefined || file !== undefined || options.everywhere) command.error("--from takes nothing else");
          return over(async (database) =>
            say(`erased ${await eraseAgain(database, await readErasures(from))} contacts again`),
          );
        }
        if (uid !== undefined && file === undefined)
          return over((database) => eraseOne(database, { ...options, uid, say }));
        if (uid !== undefined || file === undefined || options.everywhere)
          command.error("name a uid, or --file, which takes no --everywhere");
        return over((database) => eraseListed(database, { ...options, file: file!, say }));
      },
    );
  program
    .command("audit")
    .description(
      "writes whose data was read, erased or anonymised, and what commands have deleted, exported and made, one JSON object a line",
    )
    .option(
      "--erasures",
      "instead: who was erased in any workspace, without a name, for `restore --erasures` and `erase --from`",
    )
    .option("--after <id>", "with --erasures: those behind this one, and of the minute before it")
    .option("--key", "instead: the key of the erasures, which each dump has, too")
    .addOption(workspace())
    .action(({ erasures, after, key, workspace }: AuditArguments, command: Command) => {
      if (after !== undefined && !(erasures && isUuid(after)))
        command.error("--after must be the id of an erasure, with --erasures");
      if (key) return over(async ({ query }) => write([`${await keyIn(query)}\n`]));
      return reading(async (query) =>
        write(
          erasures
            ? linesOf(await listErasures(query, after))
            : (await listDeeds(query, workspace)).map((line) => `${JSON.stringify(line)}\n`),
        ),
      );
    });
};

interface AuditArguments {
  erasures?: true;
  after?: string;
  key?: true;
  workspace: string;
}
