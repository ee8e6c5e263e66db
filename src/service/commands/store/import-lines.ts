import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Validator } from "typebox/compile";
import { parseJson } from "../../base/exact-text.js";
import { fileReason } from "../../base/file-error.js";
import { StartError } from "../../base/start-error.js";

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
      if (text.trim() === "") continue;
      yield { line: parseJson(text), text, number };
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined
      ? error
      : new StartError(`${file} cannot be read: ${fileReason(error as Error)}`);
  }
}

/** Wrong lines that are told of one by one. */
const MAX_TOLD = 20;

export interface Checked {
  /** Those that are right. */
  lines: number;
  /** The numbers of the others, where these are left out. */
  wrong: ReadonlySet<number>;
}

interface Checking {
  schema: Validator;
  /** Says what else is wrong with a line, if anything. */
  more?: (line: Line) => string | undefined;
  /** Is told of wrong lines, which are left out then; without it the first one ends the import. */
  leaveOut?: ((line: string) => void) | undefined;
}

/**
 * Checks all lines, before the first one is stored.
 *
 * @throws StartError that names the line that is wrong
 */
export const check = async (file: string, { schema, more, leaveOut }: Checking): Promise<Checked> => {
  let lines = 0;
  const wrong = new Set<number>();
  for await (const one of read(file)) {
    const what = wrongWith(one, schema) ?? more?.(one);
    if (what === undefined) {
      lines += 1;
      continue;
    }
    if (leaveOut === undefined) throw new StartError(`${file}, line ${one.number}: ${what}; nothing was imported`);
    if (wrong.size < MAX_TOLD) leaveOut(`line ${one.number} is left out: ${what}`);
    wrong.add(one.number);
  }
  if (wrong.size > 0) leaveOut?.(`${wrong.size} lines are wrong and left out, ${lines} are right`);
  return { lines, wrong };
};

const wrongWith = ({ line }: Line, schema: Validator): string | undefined => {
  if (line === undefined) return "it is no JSON";
  const [error] = schema.Errors(line);
  return error && `${error.instancePath.slice(1).replaceAll("/", ".") || "it"} ${error.message}`;
};
