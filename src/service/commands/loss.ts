import type { Query } from "../database/database.js";
import { missingByDay, type Since } from "../records/missing.js";
import type { Commands } from "./commands.js";

/** The command that counts what is missing. */
export const addLossCommand = ({ program, workspace, since, until, reading, write }: Commands): void => {
  program
    .command("loss")
    .description(
      "counts the events that are missing, of pages with stamp: true, by the day on which the page was opened",
    )
    .addOption(since("pages opened from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("pages opened before"))
    .addOption(workspace())
    .action((options: Since) => reading(async (query) => write([await tellLoss(query, options)])));
};

const COLUMNS = ["day", "documents", "events", "missing", "aside"] as const;
/** Characters of a cell, a day's. */
const WIDTH = 10;

/** The loss as a table, and its sum in the last line. */
export const tellLoss = async (query: Query, which: Since): Promise<string> => {
  const days = await missingByDay(query, which);
  const line = (cells: readonly unknown[]) => `${cells.map((cell) => String(cell).padStart(WIDTH)).join("  ")}\n`;
  const table = [COLUMNS, ...days.map((day) => COLUMNS.map((column) => day[column]))].map(line).join("");
  if (days.length === 0) return "no event is numbered: its page must have stamp: true\n";
  const sum = (column: "events" | "missing" | "aside") => days.reduce((before, day) => before + day[column], 0);
  const [missing, aside] = [sum("missing"), sum("aside")];
  const all = sum("events") + missing;
  const share = all === 0 ? "" : ` (${((100 * missing) / all).toFixed(2)} %)`;
  const note = aside === 0 ? "" : `; set aside, as their numbers cannot be: ${aside} documents`;
  return `${table}${missing} of ${all} events missing${share}${note}; who has the token of the pages can spoil this\n`;
};
