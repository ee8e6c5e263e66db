import { encodeText } from "../../base/exact-text.js";
import type { Query } from "../../database/database.js";
import type { Question } from "../sql-page.js";

/** What stands in the questions for what is asked for, by its name; each is a text. */
export const PARAMETERS = {
  account: { literal: "'acme'", description: "uid of the account" },
  contact: { literal: "'anna'", description: "uid of the contact" },
  first_event: { literal: "'signup'", description: "name of the event of the first step" },
  second_event: { literal: "'project_created'", description: "name of the event of the second step" },
  third_event: { literal: "'colleague_invited'", description: "name of the event of the third step" },
  time_zone: { literal: "'Pacific/Auckland'", description: "whose days are told, such as Europe/Berlin" },
} as const;
export type Parameter = keyof typeof PARAMETERS;
const NAMES = Object.keys(PARAMETERS) as Parameter[];

/** The parameters that a question has. */
export const parametersOf = ({ sql }: Question): Parameter[] =>
  NAMES.filter((name) => sql.includes(PARAMETERS[name].literal));

/** A question with placeholders for the texts of the page, and their values: the workspace is `$1`. */
const prepare = (question: Question, workspace: string, given: Partial<Record<Parameter, string>>) => {
  const values = [workspace];
  let text = question.sql.replaceAll("'default'", "$1::text").replaceAll(/'default(\/\w+:)'/g, "$$1::text || '$1'");
  for (const name of parametersOf(question)) {
    // As the tables hold it.
    values.push(encodeText(given[name] ?? ""));
    text = text.replaceAll(PARAMETERS[name].literal, `$${values.length}::text`);
  }
  return { text, values };
};

/** Bytes that are read of an answer, before its long texts are cut. */
const MAX_READ = 1_000_000;

/** Rows as JSON of the database itself; nothing in place of those beyond the bytes. @param rows at most; one more says that there are more */
export const ask = async (
  query: Query,
  question: Question,
  { workspace, rows, ...given }: { workspace: string; rows: number } & Partial<Record<Parameter, string>>,
): Promise<(Record<string, unknown> | undefined)[]> => {
  const { text, values } = prepare(question, workspace, given);
  const answer = await query<{ row: string | null }>(
    `WITH answer AS MATERIALIZED (${text}\n)
     SELECT CASE WHEN sum(octet_length(row)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(row) < ${MAX_READ} THEN row END AS row
     FROM (SELECT row_to_json(answer)::text AS row FROM answer LIMIT ${rows + 1}) AS told`,
    values,
  );
  return answer.map(({ row }) => (row === null ? undefined : JSON.parse(row)));
};
