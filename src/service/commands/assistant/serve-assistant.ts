import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Static, Type } from "typebox";
import { StartError } from "../../base/start-error.js";
import type { ServiceConfig } from "../../config/service-config.js";
import { type Query, readOnly } from "../../database/database.js";
import { openDatabase } from "../../database/open-database.js";
import { errorCode, isUnavailable, tellError, tellFault } from "../../database/sql-state.js";
import { latestEvents } from "../../records/export/export-page.js";
import { planOf, toMembers } from "../attach/plan.js";
import { type Question, readQuestions } from "../sql-page.js";
import { NOTE, toAnswer, toError } from "./answers.js";
import { ask, PARAMETERS, type Parameter, parametersOf } from "./ask.js";
import { workspaceOf } from "./token-owner.js";

/** Milliseconds that a statement may take: as one of a request. */
const LIMIT_MS = 8_000;
/** Rows of an answer, unless it is asked for others, and at most. */
const [ROWS, MAX_ROWS] = [200, 1_000];
/** The latest events, of which `schema` tells. */
const LATEST = 50_000;

const REFUSED = "the access token is not taken: it is wrong, or has expired";

type Work = (query: Query, workspace: string) => Promise<ReturnType<typeof toAnswer> | ReturnType<typeof toError>>;

/**
 * Answers an assistant over stdin and stdout, until that ends. Nothing is held between two questions: the database is opened for
 * each, and the token looked up.
 *
 * @throws StartError where the database cannot be used, or the token is none
 */
export const serveAssistant = async (
  config: ServiceConfig,
  token: string,
  say: (line: string) => void,
): Promise<void> => {
  const questions = await readQuestions();
  const over: Reading = async (work) => {
    const database = await openDatabase(config, "tables", say);
    const query = readOnly(database, LIMIT_MS);
    try {
      return await work(query, await workspaceOf(query, config, token));
    } finally {
      await database.close();
    }
  };
  await over(async (_query, workspace) => {
    if (workspace === undefined) throw new StartError(REFUSED);
  });
  /** One after the other: a PostgreSQL that the command itself starts belongs to one. */
  let last: Promise<unknown> = Promise.resolve();
  const answer = (work: Work) => {
    const next = last.then(() =>
      over(async (query, workspace) => (workspace === undefined ? toError(REFUSED) : work(query, workspace))).catch(
        (error: Error) => toError(isUnavailable(error) ? tellFault(error) : tellError(error)),
      ),
    );
    last = next;
    return next;
  };
  serveStdio(() => createServer(questions, answer));
};

type Reading = <T>(work: (query: Query, workspace: string | undefined) => Promise<T>) => Promise<T>;

const createServer = (questions: readonly Question[], answer: (work: Work) => ReturnType<Work>): McpServer => {
  const server = new McpServer({ name: "tracklet", version: "1.0.0" }, { instructions: NOTE });
  server.registerTool(
    "schema",
    {
      title: "Which events there are",
      description: `The names of the latest ${LATEST} events, with the members of their params, their types, how often, and since when. ${NOTE}`,
      inputSchema: fromJsonSchema(Type.Object({})),
      annotations: { readOnlyHint: true },
    },
    () =>
      answer(async (query, workspace) => {
        const { planned, leftOut } = await planOf(latestEvents(query, workspace, LATEST));
        const rows = planned.map(({ members, since, ...one }) => ({
          ...one,
          ...{ since: new Date(since).toISOString(), members: toMembers(members) },
        }));
        return toAnswer({ of: "events", left_out: leftOut }, rows, MAX_ROWS);
      }),
  );
  server.registerTool(
    "ask",
    {
      title: "Ask a question about the events",
      description: `Answers one of these questions, by its number:\n${questions.map(describe).join("\n")}\n${NOTE}`,
      inputSchema: fromJsonSchema<Static<typeof Input>>(Input),
      annotations: { readOnlyHint: true },
    },
    ({ question: number, rows = ROWS, ...given }) =>
      answer(async (query, workspace) => {
        const question = questions.find((one) => one.number === number);
        if (question === undefined) return toError(`there is no question ${number}`);
        const missing = parametersOf(question).filter((name) => !given[name]);
        if (missing.length > 0) return toError(`question ${number} wants ${missing.join(", ")}`);
        if (given.time_zone !== undefined && !(await isZoneOf(query, given.time_zone)))
          return toError("time_zone must be the name of a time zone, such as Europe/Berlin");
        const { title, note } = question;
        return toAnswer(
          { question: title, with: given, about: note },
          await ask(query, question, { ...given, workspace, rows }),
          rows,
        );
      }),
  );
  return server;
};

/** What PostgreSQL says of a time zone that it does not know. */
const INVALID_PARAMETER = "22023";

/** Can the database tell times in this zone? It knows others than JavaScript does. */
const isZoneOf = (query: Query, name: string): Promise<boolean> =>
  query("SELECT now() AT TIME ZONE $1::text", [name]).then(
    () => true,
    (error) => {
      if (errorCode(error) === INVALID_PARAMETER) return false;
      throw error;
    },
  );

const describe = (question: Question): string => {
  const wanted = parametersOf(question);
  return `${question.number}. ${question.title}${wanted.length > 0 ? ` Wants ${wanted.join(", ")}.` : ""}`;
};

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }));
const Input = Type.Object({
  question: Type.Integer({ description: "Number of the question" }),
  ...(Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, { description }]) => [name, Text(description)]),
  ) as Record<Parameter, ReturnType<typeof Text>>),
  rows: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: `Rows of the answer at most, by default ${ROWS}` }),
  ),
});
