import { type Command, InvalidArgumentError, Option } from "commander";
import {
  addWorkspace,
  createToken,
  KINDS,
  type Kind,
  listTokens,
  listWorkspaces,
  revokeToken,
  rotateToken,
} from "../access/tokens.js";
import { DEFAULT_WORKSPACE } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { DAY_MS, readTime, TIME_EXPECTED } from "../base/times.js";
import { WORKSPACE } from "../config/options.js";
import type { Database } from "../database/database.js";
import { readZone } from "../days/calendar.js";
import { setZone } from "../days/counted-place.js";
import { noteDeed } from "../deletion/audit.js";
import { countWorkspace, deleteWorkspace } from "../deletion/delete-workspace.js";
import { secretOf } from "../ingest/identity-proof.js";
import type { Commands } from "./context.js";
import { copyWorkspace } from "./import.js";

/** The commands on workspaces, each with data of its own. Running processes follow within seconds. */
export const addWorkspaceCommands = ({ program, config, named, use, read, say, write }: Commands): void => {
  const workspaces = program
    .command("workspace")
    .description("makes, lists, copies and deletes workspaces, each with its own data");
  workspaces
    .command("create")
    .description("makes a workspace, which `token create` gives tokens")
    .argument("<name>", "letters a to z, digits and -")
    .action((name: string, _options: object, command: Command) => {
      if (!RegExp(`^${WORKSPACE}$`).test(name))
        command.error("the name of a workspace has 1 to 64 letters a to z, digits and -");
      return use(async ({ transaction }) => {
        if (!(await transaction((query) => addWorkspace(query, name))))
          throw new StartError(`there is a workspace "${name}" already`);
        say(`made the workspace "${name}"`);
      });
    });
  workspaces
    .command("zone")
    .description(
      "says in which time zone the days of a workspace are, or gives it another one, in which they are counted anew",
    )
    .argument("<name>", "of the workspace", named)
    .argument("[zone]", "such as Europe/Berlin")
    .action((name: string, zone: string | undefined) => {
      if (zone === undefined) return read(async (query) => write([`${await readZone(query, name)}\n`]));
      return use(async (database) => {
        const isOther = await setZone(database, name, zone);
        const then = isOther ? "; what is there is counted anew, the newest day first" : " already";
        say(`the days of the workspace "${name}" are those of ${zone}${then}`);
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
    .argument("<to>", "the workspace that gets them", named)
    .action((from: string, to: string, _options: object, command: Command) => {
      if (from === to) command.error("a workspace cannot be copied into itself");
      return use(async (database) => {
        if (!(await listWorkspaces(database.query)).includes(from))
          throw new StartError(`there is no workspace "${from}"`);
        await copyWorkspace(database, { from, to, say });
      });
    });
  workspaces
    .command("list")
    .description("writes the names, one a line")
    .action(() => read(async (query) => write((await listWorkspaces(query)).map((name) => `${name}\n`))));
  workspaces
    .command("delete")
    .description("deletes a workspace that TRACKLET_WORKSPACES does not name, with its tokens and all its data")
    .argument("<name>", "of the workspace", named)
    .option("--yes", "deletes it; without it is only said what there is")
    .action((name: string, { yes }: { yes?: true }, command: Command) => {
      if (name === DEFAULT_WORKSPACE || config.workspaces.some((one) => one.name === name))
        command.error(`"${name}" is in use: remove it from TRACKLET_WORKSPACES first`);
      return use(async (database) => {
        if (!yes) {
          const { events, records } = await countWorkspace(database.query, name);
          return say(
            `the workspace "${name}" has ${events} events, ${records} accounts, contacts and users: repeat with --yes to delete them`,
          );
        }
        const { events, records } = await deleteWorkspace(database, name);
        await noteDeed(database.query, { workspace: name, what: `deleted the workspace, ${records} records`, events });
        say(`deleted the workspace "${name}": ${events} events, ${records} accounts, contacts and users`);
      });
    });
};

/** The commands on tokens: who may ask, and for what. Running processes follow within seconds. */
export const addTokenCommands = ({ program, workspace, use, read, say, write }: Commands): void => {
  const tokens = program.command("token").description("makes, lists, replaces and revokes tokens of workspaces");
  /** Alone on stdout, and nowhere else: only its digest is kept. */
  const show = (text: string) => write([`${text}\n`]);
  tokens
    .command("create")
    .description("makes a token and writes it to stdout, this once")
    .argument("<name>", "what it is for, such as website")
    .addOption(
      new Option(
        "--kind <kind>",
        "api records events of pages, server those of servers, access reads records, numbers reads figures without a uid, admin erases and changes them",
      )
        .choices(KINDS)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--expires <time>", "until when it is taken, as 2027-01-31; for ever without").argParser(later),
    )
    .addOption(workspace())
    .action((name: string, { expires, ...token }: { kind: Kind; expires?: number; workspace: string }) =>
      use(async (database) => {
        const text = await createToken(database, { name, ...token, expiresAt: expires });
        await noted(database, token.workspace, `made the token ${JSON.stringify(name)}, which is for ${token.kind}`);
        await show(text);
      }),
    );
  tokens
    .command("list")
    .description("writes what is known of each token, one JSON object a line")
    .action(() =>
      read(async (query) =>
        write(
          (await listTokens(query)).map(({ workspace, kind, name, createdAt, expiresAt }) => {
            const [created_at, expires_at] = [createdAt, expiresAt].map((time) => time && new Date(time).toISOString());
            return `${JSON.stringify({ workspace, kind, name, created_at, expires_at: expires_at ?? null })}\n`;
          }),
        ),
      ),
    );
  tokens
    .command("rotate")
    .description("makes the next token of a name and writes it to stdout; the last one is taken for some days more")
    .argument("<name>", "of the token")
    .addOption(
      new Option("--keep <days>", "for how long").default(7).argParser((value: string) => {
        if (!/^\d{1,3}$/.test(value)) throw new InvalidArgumentError("It must be a number of days, such as 7");
        return Number(value);
      }),
    )
    .addOption(workspace())
    .action((name: string, { keep, workspace }: { keep: number; workspace: string }) =>
      use(async (database) => {
        const text = await rotateToken(database, { workspace, name, keep: keep * DAY_MS });
        await noted(database, workspace, `made a next token ${JSON.stringify(name)}`);
        await show(text);
      }),
    );
  tokens
    .command("revoke")
    .description("takes a token out at once, and what `rotate` left of it")
    .argument("<name>", "of the token")
    .addOption(workspace())
    .action((name: string, { workspace }: { workspace: string }) =>
      use(async (database) => {
        await revokeToken(database, { workspace, name });
        await noted(database, workspace, `revoked the token ${JSON.stringify(name)}`);
        say(`revoked the token ${JSON.stringify(name)} of the workspace ${workspace}`);
      }),
    );
};

const noted = ({ query }: Database, workspace: string, what: string) => noteDeed(query, { workspace, what });

const later = (value: string): number => {
  const time = readTime(value);
  if (time === undefined || time <= Date.now())
    throw new InvalidArgumentError(`It ${TIME_EXPECTED}, and be later than now`);
  return time;
};
