import { type Command, InvalidArgumentError, Option } from "commander";
import { listWorkspaces } from "../access/token-store.js";
import { encodeText } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { DAY_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import { tellLate } from "../records/deletion/retention.js";
import { NAMED } from "../watch/ages.js";
import type { Commands } from "./commands.js";

interface Expected {
  name: string;
  /** As it was given, such as `24h`. */
  span: string;
  ms: number;
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: DAY_MS };
/** Any name. */
const ANY = "*";

/** The command for cron: fails where events have stopped. */
export const addCheckCommand = ({ program, config, workspace, reading, say }: Commands): Command =>
  program
    .command("check")
    .description(
      "fails, with a line for each, where an event has not come for as long as is said, or old events are not deleted; for cron",
    )
    .addOption(
      new Option("--expect <name:time...>", "as signed_up:24h, with m, h or d; the name * means any event")
        .makeOptionMandatory()
        .argParser((value: string, before: Expected[] = []) => [...before, readExpected(value)]),
    )
    .addOption(workspace())
    .action(({ expect, workspace }: { expect: Expected[]; workspace: string }) =>
      reading(async (query) => {
        const missing: string[] = [];
        for (const one of expect) {
          const at = await lastOf(query, workspace, one.name);
          if (at !== undefined && Date.now() - at <= one.ms) continue;
          const last = at === undefined ? "there was none" : `the last one came at ${new Date(at).toISOString()}`;
          missing.push(`no event ${JSON.stringify(one.name)} for ${one.span}, ${last}`);
        }
        const { retentionDays: days } = config;
        const workspaces = await listWorkspaces(query);
        const late = days === undefined ? undefined : await tellLate(query, { days, workspaces: () => workspaces });
        if (late !== undefined) missing.push(late);
        if (missing.length > 0) throw new StartError(missing.join("\n"));
        say(`${expect.length} of ${expect.length} have come in time`);
      }),
    );

const readExpected = (value: string): Expected => {
  const [, name, amount, unit] = /^(.+):([1-9]\d{0,4})([mhd])$/.exec(value) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It must be a name and a time, such as signed_up:24h");
  return { name, span: `${amount} ${unit}`, ms: Number(amount) * UNITS[unit!]! };
};

/** When the last event of a name came, in epoch milliseconds; what was imported has come before. */
const lastOf = async (query: Query, workspace: string, name: string): Promise<number | undefined> => {
  const [row] = await query<{ received_at: unknown }>(
    `SELECT received_at FROM events WHERE workspace = $1 AND origin_id IS NULL${
      name === ANY ? "" : ` ${NAMED}`
    } ORDER BY id DESC LIMIT 1`,
    name === ANY ? [workspace] : [workspace, encodeText(name)],
  );
  return row && Number(row.received_at);
};
