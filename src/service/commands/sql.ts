import { Readable } from "node:stream";
import { Option } from "commander";
import { findMember } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import type { Query } from "../database/database.js";
import { errorCode, isUnavailable } from "../database/sql-state.js";
import { answerOf } from "../numbers/ask-question.js";
import { QUESTIONS, type Question } from "../numbers/questions.js";
import type { Exported } from "../records/read-rows.js";
import type { Commands } from "./context.js";
import { type Format, format, writeRows } from "./export.js";

export const addSqlCommand = ({ program, workspace, read, stdout }: Commands) =>
  program
    .command("sql")
    .description("writes the rows of a query, which can change nothing, or of a question that has a name")
    .argument("<query>", "one SELECT, or the name of a question, see docs/service/sql.md")
    .option("--with <name=value...>", "what a question asks for, and span=7d, or from=2026-01-01 to=2026-01-31")
    .addOption(workspace())
    .addOption(format())
    .action((sql: string, { with: given = [], workspace, format }: Options) =>
      read(async (query) => {
        const question = QUESTIONS.get(sql);
        const rows = await (question ? answered(query, question, { workspace, given }) : ask(query, sql));
        await writeRows(Readable.from(rows.map(rowOf)), format, stdout);
      }),
    );

export const addMcpCommand = ({ program, config, say }: Commands): void => {
  program
    .command("mcp")
    .description(
      "lets an assistant ask, by the Model Context Protocol over stdin and stdout: which events there are, and the questions of docs/service/sql.md",
    )
    .addOption(
      new Option(
        "--token <token>",
        "an access token, of whose workspace alone is told; others on this machine see an argument, and not the variable",
      )
        .env("MCP_ACCESS_TOKEN")
        .makeOptionMandatory(),
    )
    .action(async ({ token }: { token: string }) => {
      // What it takes to answer one takes as long to load as all else.
      const { serveAssistant } = await import("./assistant.js");
      await serveAssistant(config, token, say);
    });
};

interface Options {
  with?: string[];
  workspace: string;
  format: Format;
}

/** The rows of a question, each with the time zone in which days begin. @throws StartError that says what is wrong */
const answered = async (
  query: Query,
  question: Question,
  { workspace, given }: { workspace: string; given: string[] },
): Promise<string[]> => {
  const texts = Object.fromEntries(given.map((one) => one.split(/=(.*)/s).slice(0, 2)));
  const { time_zone, data, ...told } = await answerOf(query, question, { workspace, ...texts });
  return (data ?? [told]).map((row) => JSON.stringify({ ...row, time_zone }));
};

/** A row of JSON. Its members keep the text that they have there: numbers may be beyond a double. */
const rowOf = (text: string): Exported =>
  Object.fromEntries(
    Object.entries<unknown>(JSON.parse(text)).map(([name, value]) => [
      name,
      typeof value === "number" || (typeof value === "object" && value !== null)
        ? { json: findMember(text, name)!.text }
        : (value as string | boolean | null),
    ]),
  );

interface Answer {
  row: string;
  columns: number;
}

const ask = async (query: Query, sql: string): Promise<string[]> => {
  // As JSON of the database itself: each driver has types of its own. Materialized: a spread one would lose the names.
  const rows = await query<Answer>(
    `WITH answer AS MATERIALIZED (${sql.replace(/[;\s]+$/, "")}
) SELECT row_to_json(answer)::text AS row, (SELECT count(*) FROM json_object_keys(row_to_json(answer))) AS columns FROM answer`,
  ).catch((error: Error & { hint?: string }) => {
    const words = [error.message, error.hint].filter(Boolean).join(". ");
    if (errorCode(error) === "25006") throw wrong("it would change something");
    throw isUnavailable(error) ? error : wrong(`PostgreSQL says: ${words}`);
  });
  const [first] = rows;
  if (first !== undefined && Object.keys(JSON.parse(first.row)).length < first.columns)
    throw wrong("two of its columns have one name: give each its own, as in SELECT a.id AS one, b.id AS other");
  return rows.map(({ row }) => row);
};

const wrong = (why: string) => new StartError(`the query cannot be answered, ${why}`);
