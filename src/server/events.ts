import { NotFoundError } from "./errors.js";
import { type Ask, nextOf, toQuery } from "./pages.js";
import { listPage } from "./parse-records.js";
import type { CallOptions } from "./reach.js";
import type { EventPage } from "./records.js";

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

/** The function that walks over the pages, asking for each when it is needed. The service checks the options. */
export const eventPages = (ask: Ask) =>
  async function* ({
    signal,
    contactUid: contact_uid,
    accountUid: account_uid,
    eventUid: event_uid,
    ...times
  }: EventOptions = {}): AsyncGenerator<EventPage, void, undefined> {
    for (let after: string | null | undefined; after !== null; ) {
      const query = toQuery({ contact_uid, account_uid, event_uid, ...times, after });
      const page = await ask(`events?${query}`, listPage, { signal }).catch((error) => {
        if (error instanceof NotFoundError) error.message += " (only tracklet's own service lists events)";
        throw error;
      });
      yield page;
      const next = nextOf(page).get("after");
      after = next === after ? null : next;
    }
  };
