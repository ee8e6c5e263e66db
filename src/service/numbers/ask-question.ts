import { Type } from "typebox";
import type { Query } from "../database/database.js";
import { errorCode, isUnavailable } from "../database/sql-state.js";
import { HttpError } from "../http/error-answers.js";
import { encoded } from "./figures.js";
import { ask, QUESTIONS, type Question } from "./questions.js";
import { readWhen, SPANS, type When } from "./spans.js";

/* A question as people ask it, who name a span or days: for commands, assistants and the page of all questions. */

/** What is not asked for: it is made of the workspace, and of the span or the days. */
const MADE = ["workspace", "days", "hours", "days_before", "hours_before", "from", "to"];

/** What can be asked for, beside the time. */
export const parametersOf = ({ parameters }: Question) => parameters.filter(({ name }) => !MADE.includes(name));
/** What must be. */
export const wantedOf = (question: Question): string[] =>
  parametersOf(question).flatMap(({ name, standard }) => (standard === undefined ? [name] : []));

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }));
/** What can be given to any of them. */
export const Given = {
  ...{
    span: Text("24h, 7d, 30d or 90d; by default 30d"),
    from: Text("A day, in place of span"),
    to: Text("The last day"),
  },
  ...(Object.fromEntries(
    [...QUESTIONS.values()].flatMap(parametersOf).map(({ name, description }) => [name, Text(description)]),
  ) as Record<string, ReturnType<typeof Text>>),
};

/**
 * Asks a question of a workspace. What it says of a time is of the last 30 days, unless another one is named.
 *
 * @param given texts by the names of parameters, and `span`, or `from` and `to`
 * @returns the answer, with the time zone in which days begin; `data` is its list
 * @throws HttpError 400 where there are no such days, or something is missing, or is not what it must be
 */
export const answerOf = async (
  query: Query,
  question: Question,
  { workspace, span = "30d", from, to, ...given }: { workspace: string; [name: string]: string | undefined },
): Promise<{ time_zone: string; data?: Record<string, unknown>[]; [member: string]: unknown }> => {
  const missing = wantedOf(question).filter((name) => given[name] === undefined);
  if (missing.length > 0) throw new HttpError(400, `the question ${question.name} wants ${missing.join(", ")}`);
  for (const { name, description, choices } of parametersOf(question))
    if (given[name] !== undefined && choices?.includes(given[name]) === false)
      throw new HttpError(
        400,
        `the parameter ${name} of the question ${question.name} must be ${description.split(";")[0]}`,
      );
  const { time_zone } = await ask<{ time_zone: string }>(query, "state", { workspace });
  const when = { span: (span in SPANS ? span : "30d") as When["span"], from, to };
  const { ranges } = readWhen(when, time_zone);
  const asked = { workspace, ...ranges, ...encoded(given) };
  const answer = await ask<object>(query, question.name, asked).catch((error) => {
    if (!/^22/.test(errorCode(error)) || isUnavailable(error)) throw error;
    throw new HttpError(400, `something given to the question ${question.name} is not what it must be`);
  });
  return { time_zone, ...answer };
};
