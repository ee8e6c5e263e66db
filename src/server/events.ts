import { NotFoundError } from "./errors.js";
import { eventPage } from "./parse-records.js";
import type { CallOptions } from "./reach.js";
import type { EventPage } from "./records.js";
import type { Ask } from "./users.js";
import { check } from "./validate.js";

/** Which events; all that are left out match. */
export interface EventOptions extends CallOptions {
  contactUid?: string | undefined;
  accountUid?: string | undefined;
  eventUid?: string | undefined;
  /** Received from then on: a `Date`, or milliseconds since 1970. */
  since?: Date | number | undefined;
  /** Received before. */
  until?: Date | number | undefined;
}

/** The function that walks over the pages, asking for each when it is needed. */
export const eventPages =
  (ask: Ask) =>
  ({ signal, ...options }: EventOptions = {}): AsyncGenerator<EventPage, void, undefined> => {
    const query = new URLSearchParams();
    for (const [option, value] of Object.entries(options)) {
      if (value === undefined) continue;
      const text = typeof value === "string" ? value : String(+value);
      check(/^(?!NaN$)./s.test(text), `${option}: expected a text, a Date or milliseconds`, value);
      query.set(option.replace("U", "_u"), text);
    }
    return walk(ask, query, signal);
  };

async function* walk(ask: Ask, query: URLSearchParams, signal: AbortSignal | undefined) {
  for (let after: string | null = ""; after !== null; ) {
    if (after) query.set("after", after);
    const page = await ask(`events?${query}`, eventPage, { signal }).catch((error) => {
      if (error instanceof NotFoundError) error.message += " (only tracklet's own service lists events)";
      throw error;
    });
    yield page;
    // Nothing else of `next` is used: with a foreign host or path, the token would go there.
    const next = new URLSearchParams(page.pagination?.next?.split("?")[1]).get("after");
    after = next === after ? null : next;
  }
}
