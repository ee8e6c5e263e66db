import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Validator } from "typebox/compile";
import { StartError } from "../config/start-error.js";
import { parseJson } from "../database/exact-text.js";
import { fileReason } from "./file-error.js";

/** A line of a file of one JSON object a line. */
export interface Line {
  line: unknown;
  text: string;
  number: number;
}

/** The lines of a file that are not empty. */
export async function* read(file: string): AsyncGenerator<Line> {
  let number = 0;
  const input = createReadStream(file);
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (text.trim() !== "") yield { line: parseJson(text), text, number };
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined
      ? error
      : new StartError(`${file} cannot be read: ${fileReason(error as Error)}`);
  }
}

/**
 * Checks all lines, before the first one is stored; resolves to their number.
 *
 * @param more says what else is wrong with a line, if anything
 * @throws StartError that names the line that is wrong
 */
export const check = async (
  file: string,
  schema: Validator,
  more: (line: Line) => string | undefined,
): Promise<number> => {
  let lines = 0;
  for await (const one of read(file)) {
    const wrong = (what: string) => new StartError(`${file}, line ${one.number}: ${what}; nothing was imported`);
    if (one.line === undefined) throw wrong("it is no JSON");
    const [error] = schema.Errors(one.line);
    if (error !== undefined)
      throw wrong(`${error.instancePath.slice(1).replaceAll("/", ".") || "it"} ${error.message}`);
    const reason = more(one);
    if (reason !== undefined) throw wrong(reason);
    lines += 1;
  }
  return lines;
};
