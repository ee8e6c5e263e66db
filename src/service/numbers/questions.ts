import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Query } from "../database/database.js";

/*
 * What can be asked: a file of SQL each. Its head has the question, what is to be said of it, how the page of all questions shows it, and its
 * parameters, each with what stands for it where it is not given, if anything does; of those with `= one`, one must be given. In the SQL a parameter is `:'name'`, a text, as `psql --set name=…` takes it.
 * Beside them are the workspace and the ranges of a time, which nobody gives.
 */

/** Beside this file, and beside what is built of it. */
const FOLDER = fileURLToPath(new URL("./questions/", import.meta.url));

interface Parameter {
  name: string;
  description: string;
  /** Nothing of one that must be given. */
  standard?: string;
  /** All that it may be, where its description begins with a list of words: `asc or desc`. */
  choices?: string[];
  /** Must it be given, unless another such one is? */
  is_one_of?: boolean;
  /** Does the SQL read it as a whole number? */
  isNumber?: boolean;
}

export interface Question {
  name: string;
  title: string;
  note: string;
  group: string;
  page?: string;
  none?: string;
  heads: Record<string, string>;
  hidden: string[];
  parameters: Parameter[];
  /** Is it of a time? */
  is_timed: boolean;
  sql: string;
}

const readQuestion = (file: string): Question => {
  const sql = readFileSync(join(FOLDER, file), "utf8").trim().replace(/;$/, "");
  const head = [...sql.matchAll(/^-- (.*)$/gm)].map(([, line]) => line!);
  const parameters = head.flatMap((line) => {
    const [, name, one, text, description] = /^:(\w+)(?: = (?:(one)|'(.*)'))?: (.*)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const choices = /^(\w+(, \w+)* or \w+)(;|$)/.exec(description!)?.[1]?.split(/, | or /);
    const isNumber = sql.includes(`:'${name}'::int`);
    const standard = one ? "" : text;
    const is = { ...(one && { is_one_of: true }), isNumber };
    const more = { ...(standard !== undefined && { standard }), ...(choices && { choices }), ...is };
    return [{ name, description: description!, ...more }];
  });
  const MARK = /^(group|page|none|heads|hidden): (.*)$/;
  const marked = head.flatMap((line) => {
    const [, mark, text] = MARK.exec(line) ?? [];
    return mark === undefined ? [] : [[mark, text!] as const];
  });
  const { group = "", heads = "", hidden = "", ...more }: Record<string, string> = Object.fromEntries(marked);
  const [title, ...notes] = head.filter((line) => !line.startsWith(":") && !MARK.test(line));
  return {
    name: basename(file, ".sql"),
    title: title!,
    note: notes.join(" "),
    group,
    ...more,
    heads: Object.fromEntries([...heads.matchAll(/(\w+) = ([^,]+)/g)].map(([, name, text]) => [name, text!])),
    hidden: hidden.match(/\w+/g) ?? [],
    parameters,
    is_timed: /:'(days|from)'/.test(sql),
    sql,
  };
};

/** All of them, by their names. */
export const QUESTIONS: ReadonlyMap<string, Question> = new Map(
  readdirSync(FOLDER)
    .sort()
    .map(readQuestion)
    .map((one) => [one.name, one]),
);

/** A question as the database takes it. @param given texts by the names of parameters; what is nothing is not given */
export const prepare = ({ sql, parameters }: Question, given: Record<string, unknown>) => {
  const names: string[] = [];
  const text = sql.replace(/:'(\w+)'/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::text`;
  });
  const standard = (name: string) => parameters.find((one) => one.name === name)?.standard;
  return { text, values: names.map((name) => given[name] ?? standard(name) ?? null) };
};

/** Asks one. @returns its answer */
export const ask = async <Answer>(query: Query, name: string, given: Record<string, unknown>): Promise<Answer> => {
  const { text, values } = prepare(QUESTIONS.get(name)!, given);
  const [row] = await query<{ answer: Answer }>(text, values);
  return row!.answer;
};
