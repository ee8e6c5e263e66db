import { InvalidArgumentError, Option } from "commander";
import { createToken, KINDS, type Kind, listTokens, revokeToken, rotateToken } from "../access/token-store.js";
import { DAY_MS, readTime, TIME_EXPECTED } from "../base/times.js";
import type { Database } from "../database/database.js";
import { noteDeed } from "../deletion/audit.js";
import type { Commands } from "./commands.js";

/** The commands on tokens: who may ask, and for what. Running processes follow within seconds. */
export const addTokenCommands = ({ program, workspace, over, reading, say, write }: Commands): void => {
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
        "api records events of pages, server those of servers, access reads records, admin erases and changes them",
      )
        .choices(KINDS)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--expires <time>", "until when it is taken, as 2027-01-31; for ever without").argParser(later),
    )
    .addOption(workspace())
    .action((name: string, { expires, ...token }: { kind: Kind; expires?: number; workspace: string }) =>
      over(async (database) => {
        const text = await createToken(database, { name, ...token, expiresAt: expires });
        await noted(database, token.workspace, `made the token ${JSON.stringify(name)}, which is for ${token.kind}`);
        await show(text);
      }),
    );
  tokens
    .command("list")
    .description("writes what is known of each token, one JSON object a line")
    .action(() =>
      reading(async (query) =>
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
      over(async (database) => {
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
      over(async (database) => {
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
