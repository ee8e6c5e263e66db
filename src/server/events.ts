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
  /** Behind the event with this id: of what is settled, nothing is missed and nothing repeated. */
  after?: string | undefined;
  /** Events a page, 1 to 1,000. */
  limit?: number | undefined;
}

/** The function that walks over the pages, asking for each when it is needed. The service checks the options. */
export const eventPages = (ask: Ask) =>
  async function* ({
    signal,
    contactUid: contact_uid,
    accountUid: account_uid,
    eventUid: event_uid,
    ...others
  }: EventOptions = {}): AsyncGenerator<EventPage, void, undefined> {
    // What the first page has shown before it was settled comes again behind its `next`.
    const shown = new Set<string>();
    for (let { after } = others; ; ) {
      const query = toQuery({ contact_uid, account_uid, event_uid, ...others, after });
      const page: EventPage = await ask(`events?${query}`, listPage, { signal }).catch((error) => {
        if (error instanceof NotFoundError) error.message += " (only tracklet's own service lists events)";
        throw error;
      });
      const data = page.data.filter(({ id }) => !shown.has(id));
      for (const { id, settled } of data) if (!settled) shown.add(id);
      yield { ...page, data };
      const next = nextOf(page).get("after");
      if (!next || next === after || page.data.length < page.pagination.limit) return;
      after = next;
    }
  };
