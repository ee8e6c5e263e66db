import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { addWorkspace, listWorkspaces } from "../access/token-store.js";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { WORKSPACE } from "../config/options.js";
import { noteDeed } from "../deletion/audit.js";
import { countWorkspace, deleteWorkspace } from "../deletion/workspace.js";
import { secretOf } from "../ingest/identity.js";
import type { Commands } from "./commands.js";
import { copyWorkspace } from "./import.js";

/** The commands on workspaces, each with data of its own. Running processes follow within seconds. */
export const addWorkspaceCommands = ({ program, config, over, reading, say, write }: Commands): void => {
  const workspaces = program
    .command("workspace")
    .description("makes, lists and deletes workspaces, each with its own data");
  workspaces
    .command("create")
    .description("makes a workspace, which `token create` gives tokens")
    .argument("<name>", "letters a to z, digits and -")
    .action((name: string, _options: object, command: Command) => {
      if (!RegExp(`^${WORKSPACE}$`).test(name))
        command.error("the name of a workspace has 1 to 64 letters a to z, digits and -");
      return over(async ({ transaction }) => {
        if (!(await transaction((query) => addWorkspace(query, name))))
          throw new StartError(`there is a workspace "${name}" already`);
        say(`made the workspace "${name}"`);
      });
    });
  workspaces
    .command("secret")
    .description("writes the secret with which the servers of a workspace sign who a contact is")
    .argument("[name]", "of the workspace", DEFAULT_WORKSPACE)
    .action(async (name: string, _options: object, command: Command) => {
      if (config.identitySecret === undefined) command.error("TRACKLET_IDENTITY_SECRET is not set");
      await write(config.identitySecret!.split(",").map((secret) => `${secretOf(secret, name)}\n`));
    });
  workspaces
    .command("copy")
    .description("copies all records and events into another workspace; begun anew, it goes on")
    .argument("<from>", "the workspace that is copied")
    .argument("<to>", "the workspace that gets them")
    .action((from: string, to: string, _options: object, command: Command) => {
      if (from === to) command.error("a workspace cannot be copied into itself");
      return over(async (database) => {
        const names = await listWorkspaces(database.query);
        for (const name of [from, to])
          if (!names.includes(name)) throw new StartError(`there is no workspace "${name}"`);
        const { events, records } = await copyWorkspace(database, { from, to, say });
        say(`copied ${events} events, and ${records} accounts, contacts and users, into the workspace "${to}"`);
      });
    });
  workspaces
    .command("list")
    .description("writes the names, one a line")
    .action(() => reading(async (query) => write((await listWorkspaces(query)).map((name) => `${name}\n`))));
  workspaces
    .command("delete")
    .description("deletes a workspace that TRACKLET_WORKSPACES does not name, with its tokens and all its data")
    .argument("<name>", "of the workspace")
    .option(
      "--yes",
      "deletes it; without it the name is asked for, or where nobody can answer, only said what there is",
    )
    .action((name: string, { yes }: { yes?: true }, command: Command) => {
      if (name === DEFAULT_WORKSPACE || config.workspaces.some((one) => one.name === name))
        command.error(`"${name}" is in use: remove it from TRACKLET_WORKSPACES first`);
      return over(async (database) => {
        if (!(await listWorkspaces(database.query)).includes(name))
          throw new StartError(`there is no workspace "${name}"`);
        if (!yes) {
          const { events, records } = await countWorkspace(database.query, name);
          const what = `the workspace "${name}" has ${events} events, ${records} accounts, contacts and users`;
          if (!(await isTyped(`${what}. To delete them, type its name: `, name)))
            throw new StartError(`${what}; nothing was deleted: repeat with --yes`);
        }
        const { events, records } = await deleteWorkspace(database, name);
        await noteDeed(database.query, { workspace: name, what: `deleted the workspace, ${records} records`, events });
        say(`deleted the workspace "${name}": ${events} events, ${records} accounts, contacts and users`);
      });
    });
};

/** Asks who sits at the terminal; where nobody does, nothing is typed. */
const isTyped = async (question: string, wanted: string): Promise<boolean> => {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return (await terminal.question(question).finally(() => terminal.close())) === wanted;
};
