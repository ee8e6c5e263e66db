/** What a case says of an answer: nothing, or what is wrong with it, in the service's own words. */
import type { Answer, Ask } from "./ask.js";

/** What is wrong; nothing where all is as it must be. */
export type Verdict = string | undefined;

export interface Case {
  /** As docs/endpoint.md names it. */
  name: string;
  /** What must hold, as a sentence. */
  what: string;
  /** Events arrive although it is not so: a warning. */
  isAdvice?: boolean;
  run: (ask: Ask) => Promise<Verdict>;
}

const told = ({ status, text }: Answer): string => {
  const words = text.trim().replace(/\s+/g, " ").slice(0, 120);
  return `${status}${words && `: ${words}`}`;
};

/** The answer must be a 2xx. */
export const stored = (answer: Answer): Verdict =>
  answer.status >= 200 && answer.status < 300 ? undefined : `expected 2xx, got ${told(answer)}`;

/** The answer must be one of these. */
export const oneOf = (answer: Answer, ...statuses: number[]): Verdict =>
  statuses.includes(answer.status) ? undefined : `expected ${statuses.join(" or ")}, got ${told(answer)}`;

/** The answer is no 2xx, and does not speak of the service: the script would try it again for ever. */
export const refused = (answer: Answer): Verdict => oneOf(answer, 400, 413, 422);

/** A page of `origin` may read the answer. */
export const readable = (answer: Answer, origin: string): Verdict => {
  const allowed = answer.headers.get("access-control-allow-origin");
  if (allowed === "*" || allowed === origin) return;
  return `expected Access-Control-Allow-Origin: * or ${origin} with status ${answer.status}, got ${allowed ?? "none"}`;
};

/** The header names all of these. */
export const lists = ({ headers }: Answer, header: string, name: string): Verdict => {
  const names = headers.get(header) ?? "";
  const isListed = names.split(",").some((one) => ["*", name.toLowerCase()].includes(one.trim().toLowerCase()));
  return isListed ? undefined : `expected ${header}: ${name}, got ${names || "none"}`;
};

/** The first of these that is wrong. */
export const first = (...verdicts: Verdict[]): Verdict => verdicts.find((verdict) => verdict !== undefined);
