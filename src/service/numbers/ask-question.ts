import { Type } from "typebox";
import { encodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import { errorCode, isUnavailable } from "../database/sql-state.js";
import { readWhen, SPANS, type When } from "../days/calendar.js";
import { HttpError } from "../http/error-answers.js";
import { ask, encoded, QUESTIONS, type Question } from "./questions.js";

/* A question as people ask it, who name a span or days: for commands, assistants and the page of all questions. */

/** What must be given, beside the time. */
export const wantedOf = ({ parameters }: Question): string[] =>
  parameters.flatMap(({ name, standard }) => (standard === undefined ? [name] : []));

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }));
/** What can be given to any of them. */
export const Given = {
  span: Text("24h, 7d, 30d or 90d; by default 30d"),
  from: Text("A day, in place of span"),
  to: Text("The last day"),
  ...(Object.fromEntries(
    [...QUESTIONS.values()]
      .flatMap(({ parameters }) => parameters)
      .map(({ name, description }) => [name, Text(description)]),
  ) as Record<string, ReturnType<typeof Text>>),
};

type GivenTexts = Record<string, string | undefined>;

/** Which time is asked for: the last 30 days, unless another one is named. */
export const whenOf = ({ span = "", from, to }: GivenTexts): When => ({
  span: (span in SPANS ? span : "30d") as When["span"],
  from,
  to,
});

/** @throws HttpError 400 whose text begins with the name of what is missing, or is not what it must be */
const check = async (query: Query, question: Question, given: GivenTexts & { workspace: string }): Promise<void> => {
  const wrong = (name: string, what: string) => new HttpError(400, `${name} must be ${what}`);
  const { parameters } = question;
  const [missing] = wantedOf(question).filter((name) => given[name] === undefined);
  if (missing !== undefined) throw wrong(missing, "given");
  for (const { name, standard, description, choices, isNumber } of parameters) {
    const text = given[name] || undefined;
    if (text === undefined) continue;
    if (choices?.includes(text) === false) throw wrong(name, description.split(";")[0]!);
    if (isNumber && !/^\d{1,9}$/.test(text)) throw wrong(name, `a whole number such as ${standard}`);
    if (name !== "account" && name !== "contact") continue;
    const asked = [given.workspace, name, encodeText(text)];
    const [row] = await query(`SELECT FROM ${name}s WHERE id = key_of($1, $2, $3)`, asked);
    const what = name === "account" ? "an account" : "a contact";
    if (row === undefined) throw wrong(name, `the uid of ${what}, and no ${name} has this one`);
  }
  const [first, ...others] = parameters.flatMap(({ name, is_one_of }) => (is_one_of ? [name] : []));
  if (first && ![first, ...others].some((name) => given[name])) throw wrong(first, `given, or ${others.join(" or ")}`);
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
  { workspace, span, from, to, ...given }: { workspace: string; [name: string]: string | undefined },
): Promise<{ time_zone: string; data?: Record<string, unknown>[]; [member: string]: unknown }> => {
  await check(query, question, { workspace, ...given });
  const { time_zone } = await ask<{ time_zone: string }>(query, "state", { workspace });
  const { ranges } = readWhen(whenOf({ span, from, to }), time_zone);
  const asked = { workspace, ...ranges, ...encoded(given) };
  const answer = await ask<object>(query, question.name, asked).catch((error) => {
    if (!/^22/.test(errorCode(error)) || isUnavailable(error)) throw error;
    const names = question.parameters.map(({ name }) => name);
    throw new HttpError(400, `one of ${names.join(", ")} is not what it must be`);
  });
  return { time_zone, ...answer };
};
