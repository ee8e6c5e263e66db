import type { Query } from "../database/database.js";
import { encoded } from "./figures.js";
import { ask, type Question } from "./questions.js";
import { readWhen, SPANS, type When } from "./spans.js";

/* A question as people ask it, who name a span or days: for commands and assistants. */

/** What is not asked for: it is made of the workspace, and of the span or the days. */
const MADE = ["workspace", "days", "hours", "days_before", "hours_before", "from", "to"];

/** What can be asked for, beside the time. */
export const parametersOf = ({ parameters }: Question) => parameters.filter(({ name }) => !MADE.includes(name));
/** What must be. */
export const wantedOf = (question: Question): string[] =>
  parametersOf(question).flatMap(({ name, standard }) => (standard === undefined ? [name] : []));

/**
 * Asks a question of a workspace. What it says of a time is of the last 30 days, unless another one is named.
 *
 * @param given texts by the names of parameters, and `span`, or `from` and `to`
 * @returns the answer, with the time zone in which days begin; `data` is its list
 * @throws HttpError 400 where there are no such days
 */
export const answerOf = async (
  query: Query,
  question: Question,
  { workspace, span = "30d", from, to, ...given }: { workspace: string; [name: string]: string | undefined },
): Promise<{ data?: Record<string, unknown>[]; [member: string]: unknown }> => {
  const { time_zone } = await ask<{ time_zone: string }>(query, "state", { workspace });
  const when = { span: (span in SPANS ? span : "30d") as When["span"], from, to };
  const { ranges } = readWhen(when, time_zone);
  return { time_zone, ...(await ask<object>(query, question.name, { workspace, ...ranges, ...encoded(given) })) };
};
