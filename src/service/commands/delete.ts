import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { isUuid } from "../base/exact-text.js";
import { fileReason } from "../base/file-error.js";
import { StartError } from "../base/start-error.js";
import { DAY_MS } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import type { Database, Query } from "../database/database.js";
import type { Bounds } from "../database/transaction-time.js";
import { listDeeds } from "../person/audit.js";
import { eraseContacts } from "../person/erasure.js";
import { linesOf, listErasures } from "../person/erasure-files.js";
import { keyIn } from "../person/tombstones.js";
import { hasContact, similarContacts } from "../records/contacts.js";
import { type Chosen, countEvents, deleteEvents, deleteEventsBefore } from "../records/deletion/chosen-events.js";
import { deleteLetters, findLetters } from "../records/deletion/letters.js";
import { countNaming, deleteNaming } from "../records/deletion/naming.js";
import { deleteAccount, deleteUser } from "../records/deletion/records-of-uid.js";
import { confirmClock } from "../records/deletion/retention-clock.js";

/** What the audit log calls a command. */
const COMMAND = "command line";

/** What the commands have in common. */
export interface Commands {
  program: Command;
  config: ServiceConfig;
  /** Whose data; made anew for each command that has this option. */
  workspace(): Option;
  /** Times of receipt; made anew likewise. */
  since(what: string): Option;
  until(what: string): Option;
  /** Runs `work` over the database, which must be there. */
  over(work: (database: Database) => Promise<void>): Promise<void>;
  /** The same over what only reads. */
  reading(work: (query: Query) => Promise<void>): Promise<void>;
  say(line: string): void;
  /** Writes to stdout. */
  write(lines: readonly string[]): void;
  bounds: Bounds;
}

interface DeleteArguments extends Chosen {
  olderThan?: number;
  yes?: true;
  workspace: string;
}

interface EraseArguments {
  everywhere?: true;
  workspace: string;
}

type Saying<T> = T & { say(line: string): void };

/** The commands that delete, and say what of it is left, or who may have been meant. */
export const addDeleteCommands = ({ program, workspace, since, until, over, reading, say, write }: Commands): void => {
  program
    .command("delete-contact")
    .alias("erase")
    .description("erases a contact, or many: records, memberships, events, and dead letters that say to be of them")
    .argument("[uid]", "of the contact")
    .option("--file <file>", "instead: uids, one a line")
    .option("--everywhere", "also events of others whose params name it, and dead letters that may be of it")
    .addOption(workspace())
    .action((uid: string | undefined, { file, ...options }: EraseArguments & { file?: string }, command: Command) => {
      if (uid !== undefined && file === undefined)
        return over((database) => eraseOne(database, { ...options, uid, say }));
      if (uid !== undefined || file === undefined || options.everywhere)
        command.error("name a uid, or --file, which takes no --everywhere");
      return over((database) => eraseListed(database, { ...options, file: file!, say }));
    });
  program
    .command("anonymise-contact")
    .description(
      "deletes the contact; its events go to one of chance, with their name, their day, and some of the params",
    )
    .argument("<uid>", "of the contact")
    .option("--keep <names>", "members of the params that stay, by commas", (names) => names.split(","))
    .addOption(workspace())
    .action((uid: string, { keep = [], workspace }: { keep?: string[]; workspace: string }) =>
      over(async (database) => {
        const quoted = JSON.stringify(uid);
        if (!(await hasContact(database.query, workspace, uid)))
          throw new StartError(`there is no contact ${quoted} in the workspace ${workspace}`);
        const asked = { workspace, uids: [uid], token: COMMAND, anonymise: keep };
        const { events } = await eraseContacts(database, asked);
        say(`deleted the contact ${quoted}, and put its ${events} events under one of chance`);
      }),
    );
  const deleteRecord =
    (kind: "account" | "user", remove: typeof deleteAccount, note: string) =>
    (uid: string, { workspace }: { workspace: string }) =>
      over(async (database) => {
        const quoted = JSON.stringify(uid);
        if (!(await remove(database, workspace, uid)))
          throw new StartError(`there is no ${kind} ${quoted} in the workspace ${workspace}`);
        say(`deleted the ${kind} ${quoted}${note}`);
      });
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
  program
    .command("delete-events")
    .description("deletes events by their age; or by name and time of receipt, and says first how many these are")
    .addOption(
      new Option("--older-than <days>", "age in days, as 365")
        .argParser((value: string) => {
          if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError("It must be a number of days, such as 365");
          return Number(value);
        })
        .conflicts(["name", "since", "until"]),
    )
    .option("--name <event_uid>", "events of this name")
    .addOption(since("events received from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("events received before"))
    .option("--yes", "deletes them; without it they are only counted")
    .addOption(workspace())
    .action(async ({ olderThan, yes, workspace, ...which }: DeleteArguments, command: Command) => {
      if (olderThan !== undefined)
        return over(async (database) => {
          const events = await deleteEventsBefore(database, workspace, Date.now() - olderThan * DAY_MS);
          say(`deleted ${events} events`);
        });
      if (Object.values(which).every((value) => value === undefined))
        command.error("say which events: --older-than <days>, or --name, --since or --until");
      if (yes) return over(async (database) => say(`deleted ${await deleteEvents(database, workspace, which)} events`));
      await reading(async (query) =>
        say(`these are ${await countEvents(query, workspace, which)} events: repeat with --yes to delete them`),
      );
    });
  program
    .command("retention")
    .description("lets events be deleted by their age again, where the service says that it doubts the clock")
    .requiredOption("--confirm", "says that the clock of this machine is right")
    .action(() =>
      over(async ({ query }) => say(`retention goes by the clock, which shows ${await confirmClock(query)}`)),
    );
};

const eraseOne = async (
  database: Database,
  { workspace, uid, everywhere, say }: Saying<EraseArguments & { uid: string }>,
): Promise<void> => {
  const { query } = database;
  const quoted = JSON.stringify(uid);
  const others = (await similarContacts(database, workspace, uid)).map((one) => JSON.stringify(one));
  const note = others.length > 0 ? `; by case alone differ ${others.join(", ")}` : "";
  // No tombstone for a name that was only misspelt.
  const isThere = await hasContact(query, workspace, uid);
  const erased = isThere && (await eraseContacts(database, { workspace, uids: [uid], token: COMMAND }));
  const naming = await (everywhere ? deleteNaming : countNaming)(database, workspace, uid);
  const { theirs, doubtful } = await findLetters(query, workspace, [uid]);
  const gone = [...theirs.map(({ id }) => id), ...(everywhere ? doubtful : [])];
  await deleteLetters(query, gone);
  const letters = gone.length + (erased ? erased.letters : 0);
  if (letters > 0) say(`deleted ${letters} dead letters of it`);
  if (!everywhere && doubtful.length > 0)
    say(
      `${doubtful.length} dead letters may be of it: look at them, or repeat with --everywhere: ${doubtful.join(" ")}`,
    );
  if (!isThere && letters === 0 && !(everywhere && naming > 0))
    throw new StartError(`there is no contact ${quoted} in the workspace ${workspace}${note}`);
  if (erased) say(`deleted the contact ${quoted} and ${erased.events} events${note}`);
  if (everywhere) say(`deleted ${naming} events of others that name it`);
  else if (naming > 0) say(`${naming} events name it in their params: repeat with --everywhere to delete these`);
};

/** Contacts that are erased at a time. */
const CHUNK = 500;

const eraseListed = async (
  database: Database,
  { workspace, file, say }: Saying<EraseArguments & { file: string }>,
): Promise<void> => {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new StartError(`${file} cannot be read: ${fileReason(error)}`);
  });
  const uids = [...new Set(text.split(/\r?\n/).filter(Boolean))];
  const [sum, doubtful] = [{ contacts: 0, events: 0, letters: 0 }, new Set<string>()];
  const told = () =>
    `erased ${sum.contacts} of ${uids.length} contacts, ${sum.events} events, ${sum.letters} dead letters`;
  for (let from = 0; from < uids.length; from += CHUNK) {
    const chunk = uids.slice(from, from + CHUNK);
    const erased = await eraseContacts(database, { workspace, uids: chunk, token: COMMAND }).catch((error: Error) => {
      throw new StartError(`${told()}, then ${error.message}: repeat the command`);
    });
    sum.contacts += chunk.length;
    sum.events += erased.events;
    sum.letters += erased.letters;
    for (const id of erased.doubtful) doubtful.add(id);
    if (sum.contacts % TELL_EVERY === 0) say(told());
  }
  say(told());
  if (doubtful.size > 0) say(`${doubtful.size} dead letters may be of them: look at ${[...doubtful].join(" ")}`);
};

/** Contacts between two lines of progress. */
const TELL_EVERY = 5_000;
