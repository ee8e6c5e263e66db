import { Argument, type Command, Option } from "commander";
import { StartError } from "../base/start-error.js";
import { DAY_MS } from "../base/times.js";
import type { Database } from "../database/database.js";
import { noteDeed } from "../deletion/audit.js";
import {
  type Chosen,
  countEvents,
  deleteAccount,
  deleteEvents,
  deleteNewcomers,
  deleteUser,
  findNewcomers,
  type Span,
} from "../deletion/delete-chosen.js";
import { deleteEventsBefore } from "../deletion/retention.js";
import { keyIn, markOf } from "../deletion/tombstones.js";
import { type Commands, daysArgument } from "./context.js";

interface DeleteArguments extends Chosen {
  olderThan?: number;
  newContacts?: true;
  yes?: true;
  workspace: string;
}

/** The commands that delete, and say what of it is left, or who may have been meant. */
export const addDeleteCommands = ({ program, workspace, since, until, use, read, say, write }: Commands): void => {
  /** Lists contacts that a stranger may have made, or deletes them. */
  const takeOut = async (database: Database, workspace: string, { yes, ...span }: Span & { yes: true | undefined }) => {
    const newcomers = await findNewcomers(database.query, workspace, span);
    if (yes) {
      const events = await deleteNewcomers(database, workspace, { ...span, newcomers });
      const what = `deleted ${newcomers.length} contacts that were new between ${Object.values(span)
        .map((at) => new Date(at).toISOString())
        .join(" and ")}`;
      await noteDeed(database.query, { workspace, what, events });
      return say(`deleted ${events} events of ${newcomers.length} contacts`);
    }
    await write(newcomers.map(({ uid, events }) => `${events}\t${JSON.stringify(uid)}\n`));
    const events = newcomers.reduce((sum, one) => sum + one.events, 0);
    say(
      `these are ${events} events of ${newcomers.length} contacts, real ones that were new then among them: repeat with --yes to delete them`,
    );
  };
  program
    .command("delete-record")
    .description("deletes an account with its memberships, not its events; or a user")
    .addArgument(new Argument("<kind>", "what it is").choices(["account", "user"]))
    .argument("<uid>", "of the account, or the user's e-mail address")
    .addOption(workspace())
    .action((kind: "account" | "user", uid: string, { workspace }: { workspace: string }) =>
      use(async (database) => {
        const quoted = JSON.stringify(uid);
        if (!(await (kind === "account" ? deleteAccount : deleteUser)(database, workspace, uid)))
          throw new StartError(`there is no ${kind} ${quoted} in the workspace ${workspace}`);
        const subject = markOf(await keyIn(database.query), `${kind}/${workspace}/${uid}`);
        await noteDeed(database.query, { workspace, what: `deleted the ${kind}`, subject });
        const note = kind === "account" ? " and its memberships: an event that names it makes it anew" : "";
        say(`deleted the ${kind} ${quoted}${note}`);
      }),
    );
  program
    .command("delete-events")
    .description("deletes events by their age; or by name and time of receipt, and says first how many these are")
    .addOption(
      new Option("--older-than <days>", "age in days, as 365")
        .argParser(daysArgument)
        .conflicts(["name", "since", "until"]),
    )
    .option("--name <event_uid>", "events of this name")
    .addOption(since("events received from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("events received before"))
    .addOption(
      new Option(
        "--new-contacts",
        "with --since and --until: contacts that events of that time alone tell of, as a stranger can make them",
      ).conflicts(["name", "olderThan"]),
    )
    .option("--yes", "deletes them; without it they are only counted")
    .addOption(workspace())
    .action(async ({ olderThan, newContacts, yes, workspace, ...which }: DeleteArguments, command: Command) => {
      const { since, until } = which;
      if (newContacts) {
        if (since === undefined || until === undefined) command.error("--new-contacts needs --since and --until");
        return use((database) => takeOut(database, workspace, { since: since!, until: until!, yes }));
      }
      if (olderThan === undefined && Object.values(which).every((value) => value === undefined))
        command.error("say which events: --older-than <days>, or --name, --since or --until");
      const before = Date.now() - (olderThan ?? 0) * DAY_MS;
      if (!yes)
        return read(async (query) => {
          const events = await countEvents({ query }, workspace, olderThan === undefined ? which : { until: before });
          const of = `of the workspace ${workspace}`;
          say(
            events === 0
              ? `there are none ${of}`
              : `these are ${events} events ${of}: repeat with --yes to delete them`,
          );
        });
      await use(async (database) => {
        const events = await (olderThan === undefined
          ? deleteEvents(database, workspace, which)
          : deleteEventsBefore(database, workspace, before));
        const what = `deleted events, ${JSON.stringify({ olderThan, ...which })}`;
        await noteDeed(database.query, { workspace, what, events });
        say(`deleted ${events} events`);
      });
    });
};
