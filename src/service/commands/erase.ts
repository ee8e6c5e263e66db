import { type Command, Option } from "commander";
import { isUuid } from "../base/exact-text.js";
import { listDeeds } from "../person/audit.js";
import { eraseAgain } from "../person/erase-again.js";
import { linesOf, listErasures, readErasures } from "../person/erasure-files.js";
import { keyIn } from "../person/tombstones.js";
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
    .addOption(workspace())
    .action(
      (
        uid: string | undefined,
        { file, from, ...options }: EraseArguments & { file?: string; from?: string },
        command: Command,
      ) => {
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
    .command("anonymise-contact")
    .description(
      "deletes the contact; its events go to one of chance, with their name, their day, and some of the params",
    )
    .argument("<uid>", "of the contact")
    .option("--keep <names>", "members of the params that stay, by commas", (names) => names.split(","))
    .addOption(workspace())
    .action((uid: string, { keep = [], workspace }: { keep?: string[]; workspace: string }) =>
      over((database) => anonymiseOne(database, { workspace, uid, keep, say })),
    );
  program
    .command("audit")
    .description("writes whose data was read, erased or anonymised, when and by which token, one JSON object a line")
    .addOption(workspace())
    .action(({ workspace }: { workspace: string }) =>
      reading(async (query) => write((await listDeeds(query, workspace)).map((line) => `${JSON.stringify(line)}\n`))),
    );
  program
    .command("erasures")
    .description("writes who was erased, without a name, one JSON object a line, for `restore --erasures`")
    .option("--after <id>", "those behind this one, and of the minute before it")
    .addOption(new Option("--key", "writes the key of the marks instead: keep it in another place").conflicts("after"))
    .action(({ after, key }: { after?: string; key?: true }, command: Command) => {
      if (after !== undefined && !isUuid(after)) command.error("--after must be the id of an erasure");
      return key
        ? over(async ({ query }) => write([`${await keyIn(query)}\n`]))
        : reading(async (query) => write(linesOf(await listErasures(query, after))));
    });
};
