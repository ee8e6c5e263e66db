/** All that docs/endpoint.md says of a service, as cases with names of their own, in its order. */
import { type Ask, eventOf } from "./ask.js";
import type { Verdict } from "./expect.js";
import { ONE_EVENT } from "./one-event.js";
import { PAGES } from "./pages.js";
import { SEVERAL_EVENTS } from "./several-events.js";

export interface Result {
  name: string;
  what: string;
  wrong?: Verdict;
  /** What is wrong is a warning. */
  isAdvice?: boolean | undefined;
  /** Not asked, because the service does not offer it. */
  isLeftOut?: boolean;
}

export const CASES = [...ONE_EVENT, ...PAGES, ...SEVERAL_EVENTS];

/**
 * Asks one case after another, so that the service is asked no more than by one visitor.
 *
 * @throws Error where the first question has no answer
 */
export async function* runCases(ask: Ask): AsyncGenerator<Result> {
  const offers = (await ask.post(eventOf())).headers.has("tracklet-batch");
  for (const one of CASES) {
    const { name, what, run, isAdvice } = one;
    if (!offers && SEVERAL_EVENTS.includes(one)) yield { name, what, isLeftOut: true };
    else yield { name, what, isAdvice, wrong: await run(ask).catch(({ message }: Error) => message) };
  }
}
