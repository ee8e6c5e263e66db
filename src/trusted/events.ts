import { NotFoundError } from "./http/errors.js";
import type { CallOptions } from "./http/reach.js";
import { type Ask, nextOf, toQuery } from "./pages.js";
import { listPage } from "./parse-records.js";
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
  /** Events a page, 1 to 1,000; the service ends a page at some 4 MB. */
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
    let query = toQuery({ contact_uid, account_uid, event_uid, ...others });
    for (
      let page: EventPage | undefined;
      !page || page.data[page.pagination.limit - 1]?.settled;
      query = nextOf(page)
    ) {
      page = await ask(`events?${query}`, listPage<EventPage>, { signal }).catch((error) => {
        if (error instanceof NotFoundError) error.message += " (only tracklet's own service lists events)";
        throw error;
      });
      // Only a full page of settled events has others behind it that were not given yet.
      yield page;
    }
  };
