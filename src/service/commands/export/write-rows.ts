import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Option } from "commander";
import { stringify } from "csv-stringify";
import { fileReason } from "../../base/file-error.js";
import { StartError } from "../../base/start-error.js";
import { csvRow, type Exported, jsonLine } from "../../records/export/exported.js";

export type Format = "ndjson" | "csv";

/** How rows are written, and where to; made anew for each command. */
export const format = () =>
  new Option("--format <format>", "how rows are written").choices(["ndjson", "csv"]).default("ndjson");
export const file = () => new Option("--output <file>", "writes a file instead");

/** Where rows go, and how they are written. */
export interface Target {
  format: Format;
  /** A file, or else a stream, which stays open. */
  file: string | undefined;
  stdout: Writable;
}

/**
 * Uids come from anybody: cells that a spreadsheet would take for a formula begin with an apostrophe, and all but those of null
 * are quoted, for where the comma is the decimal sign a spreadsheet begins a new cell at each semicolon.
 */
const CSV = { header: true, escape_formulas: true, quoted: true };

/** Writes rows; a file has its name only once all are in it. */
export const writeRows = async (rows: AsyncIterable<Exported>, { format, file, stdout }: Target): Promise<void> => {
  const part = `${file}.part`;
  const to = file === undefined ? stdout : createWriteStream(part);
  const end = { end: to !== process.stdout };
  try {
    if (format === "ndjson") await pipeline(Readable.from(map(rows, (row) => `${jsonLine(row)}\n`)), to, end);
    else await pipeline(Readable.from(map(rows, csvRow)), stringify(CSV), to, end);
    if (file !== undefined) await rename(part, file);
  } catch (error) {
    if (file === undefined) throw error;
    await rm(part, { force: true });
    const reason = error as NodeJS.ErrnoException;
    throw reason.code === undefined
      ? error
      : new StartError(`--output ${file} cannot be written: ${fileReason(reason)}`);
  }
};

async function* map<From, To>(rows: AsyncIterable<From>, change: (row: From) => To): AsyncGenerator<To> {
  for await (const row of rows) yield change(row);
}
