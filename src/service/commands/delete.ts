import { type Command, InvalidArgumentError, Option } from "commander";
import { StartError } from "../base/start-error.js";
import { DAY_MS } from "../base/times.js";
import {
  type Chosen,
  countEvents,
  countEventsBefore,
  deleteEvents,
  deleteEventsBefore,
} from "../records/deletion/chosen-events.js";
import { deleteAccount, deleteUser } from "../records/deletion/records-of-uid.js";
import type { Commands } from "./commands.js";

const olderThan = () =>
  new Option("--older-than <days>", "age in days, as 365").argParser((value: string) => {
    if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError("It must be a number of days, such as 365");
    return Number(value);
  });

interface RetentionArguments {
  confirm?: true;
  archived?: string;
  olderThan?: number;
}

interface DeleteArguments extends Chosen {
  olderThan?: number;
  yes?: true;
  workspace: string;
}

/** The commands that delete, and say what of it is left, or who may have been meant. */
export const addDeleteCommands = ({ program, workspace, since, until, over, reading, say }: Commands): void => {
  const deleteRecord =
    (kind: "account" | "user", remove: typeof deleteAccount, note: string) =>
    (uid: string, { workspace }: { workspace: string }) =>
      over(async (database) => {
        const quoted = JSON.stringify(uid);
        if (!(await remove(database, workspace, uid)))
          throw new StartError(`there is no ${kind} ${quoted} in the workspace ${workspace}`);
        say(`deleted the ${kind} ${quoted}${note}`);
      });
  const sayCount = (events: number) => say(`these are ${events} events: repeat with --yes to delete them`);
  program
    .command("delete-account")
    .description("deletes the record of the account and its memberships, not its events")
    .argument("<uid>", "of the account")
    .addOption(workspace())
    .action(deleteRecord("account", deleteAccount, " and its memberships: an event that names it makes it anew"));
  program
    .command("delete-user")
    .description("deletes the user")
    .argument("<email>", "of the user")
    .addOption(workspace())
    .action(deleteRecord("user", deleteUser, ""));
  program
    .command("delete-events")
    .description("deletes events by their age; or by name and time of receipt, and says first how many these are")
    .addOption(olderThan().conflicts(["name", "since", "until"]))
    .option("--name <event_uid>", "events of this name")
    .addOption(since("events received from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("events received before"))
    .option("--yes", "deletes them; without it they are only counted")
    .addOption(workspace())
    .action(async ({ olderThan, yes, workspace, ...which }: DeleteArguments, command: Command) => {
      if (olderThan !== undefined) {
        const before = Date.now() - olderThan * DAY_MS;
        if (!yes) return reading(async (query) => sayCount(await countEventsBefore(query, workspace, before)));
        return over(async (database) => say(`deleted ${await deleteEventsBefore(database, workspace, before)} events`));
      }
      if (Object.values(which).every((value) => value === undefined))
        command.error("say which events: --older-than <days>, or --name, --since or --until");
      if (yes) return over(async (database) => say(`deleted ${await deleteEvents(database, workspace, which)} events`));
      await reading(async (query) => sayCount(await countEvents(query, workspace, which)));
    });
  program
    .command("retention")
    .description("deletes what is old and is in the files of an archive, nothing else")
    .option("--archived <place>", "the folder of the archive")
    .addOption(olderThan())
    .addOption(new Option("--confirm").hideHelp())
    .action(({ confirm, archived, olderThan }: RetentionArguments, command: Command) => {
      if (confirm) return say("--confirm does nothing any more: retention goes by the clock of the database");
      if (archived === undefined || olderThan === undefined)
        command.error("say --archived <place> with --older-than <days>");
      return over(async (database) => {
        const { deleteArchived } = await import("./archive/archived-retention.js");
        await deleteArchived(database, { place: archived, before: Date.now() - olderThan * DAY_MS, say });
      });
    });
};
