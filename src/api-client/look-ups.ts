import { NotFoundError } from "./errors.js";
import type { CallOptions } from "./request.js";
import { check, checkWhole, isObject, isText } from "./validate.js";

/** What the service's look-ups answer, typed as far as it is known and open to more members. */

/** A stage of an account or contact. */
export interface Stage {
  id?: string;
  name?: string;
  [member: string]: unknown;
}

/** References to other records. */
export interface References {
  object?: string;
  data?: { id: string; [member: string]: unknown }[];
  [member: string]: unknown;
}

/** Metrics of an account or a contact. */
export interface Metrics {
  /** As it was set, or told by the activity. */
  health?: number | string;
  /** Of a health that nobody has set, what tells it: such as `activity: good`. */
  health_source?: string;
  [metric: string]: unknown;
}

/** An account. The interface promises no member, so that all are optional; those named are what deployments send. */
export interface Account {
  object?: "account";
  id?: string;
  /** The `uid` that the caller supplied. */
  unique_id?: string;
  /** Epoch seconds. */
  created_at?: number;
  /** Custom attributes. */
  data?: Record<string, unknown>;
  stage?: Stage | null;
  salesmachine?: Metrics;
  contacts?: References;
  [member: string]: unknown;
}

/** A contact. The interface promises no member, so that all are optional; those named are what deployments send. */
export interface Contact {
  object?: "contact";
  id?: string;
  /** The `uid` that the caller supplied. */
  unique_id?: string;
  /** Epoch seconds. */
  created_at?: number;
  archived?: boolean;
  /** Custom attributes. */
  data?: Record<string, unknown>;
  stage?: Stage | null;
  salesmachine?: Metrics;
  accounts?: References;
  [member: string]: unknown;
}

/** A user. Only `id` is verified at run time; the other members are as the interface names them. */
export interface User {
  object: "user";
  id: string;
  /** Epoch seconds. */
  created_at: number;
  email: string;
  name: string;
  /** `admin` is the one value known. */
  role: "admin" | (string & {});
  enabled: boolean;
  [member: string]: unknown;
}

/** Where a page stands in the list. */
export interface Pagination {
  /** Users in all. */
  total: number;
  offset: number;
  limit: number;
  /** Users on this page. */
  count: number;
  /** Address of the next page, as the service names it; null, empty or absent on the last one. */
  next?: string | null;
  [member: string]: unknown;
}

/** One page of users. */
export interface UserPage {
  object: "user.list";
  data: User[];
  pagination: Pagination;
  [member: string]: unknown;
}

/** A stored event. The vendor's interface has no such look-up: it is of tracklet's own service. */
export interface StoredEvent {
  object: "event";
  /** A UUID; sorts by the time of storing. */
  id: string;
  /** When the service received it, in milliseconds since 1970. */
  received_at: number;
  /** `params.occurred_at`, where it is plausible: from 30 days before its receipt to a day after it. */
  occurred_at: number | null;
  contact_uid: string;
  account_uid: string | null;
  event_uid: string;
  params: Record<string, unknown>;
  /** Whether all events before it are known: only then may it be given as `after`. */
  settled: boolean;
  [member: string]: unknown;
}

/** One page of events, the oldest first. */
export interface EventPage {
  object: "event.list";
  data: StoredEvent[];
  pagination: {
    /** Events that this page could hold: fewer than were asked for where they are large. One with fewer is the last. */
    limit: number;
    count: number;
    /** Address of what comes behind the settled events of this page, now or later. */
    next: string;
    [member: string]: unknown;
  };
  [member: string]: unknown;
}

/** Asks for what is behind a path, and makes the result out of the answer. */
export type Ask = <T>(path: string, accept: (body: never) => T, options?: CallOptions) => Promise<T>;

/** A query, by way of JSON: that leaves out what is undefined, and makes texts of dates. */
const toQuery = (members: object): URLSearchParams => new URLSearchParams(JSON.parse(JSON.stringify(members)));

/** Where a page's `next` leads. Nothing else of it is used: with a foreign host or path, the token would go there. */
const nextOf = ({ pagination }: { pagination?: { next?: string | null } }): URLSearchParams =>
  new URLSearchParams(pagination?.next?.split("?")[1]);

/** A list that comes page by page. `await` it for its first page, iterate over it for all of its records. */
export interface List<Page extends { data: Item[] }, Item> extends PromiseLike<Page>, AsyncIterable<Item> {
  /** All pages, each asked for when it is needed. */
  pages(): AsyncGenerator<Page, void, undefined>;
}

/** @param pages begins a walk over the pages; nothing is asked for before its first step */
export const listOf = <Page extends { data: Item[] }, Item>(
  pages: () => AsyncGenerator<Page, void, undefined>,
): List<Page, Item> => ({
  pages,
  // biome-ignore lint/suspicious/noThenProperty: awaiting the list asks for its page, and nothing before that does
  then: (...handlers) =>
    pages()
      .next()
      .then(({ value }) => value as Page)
      .then(...handlers),
  async *[Symbol.asyncIterator]() {
    for await (const { data } of pages()) yield* data;
  },
});

/*
 * What a body must look like to be an answer. Each function returns it, typed, or throws a TypeError whose message is
 * the reason why it is none.
 */

/**
 * `.` and `..` are steps in a path even when they are percent-encoded (URL standard §4.4), and nothing at all asks for
 * the list instead.
 */
export const isId = (value: unknown): boolean => isText(value, /^(?!\.?\.?$)/);

/** The body as one record. */
export const record = <T extends object>(body: unknown): T => {
  check(isObject(body), "body: expected an object", body);
  return body as T;
};

/**
 * The interface leaves open how a search that finds nothing is answered: `null` and an empty list, bare or in an
 * envelope, both mean that. A record's own `data` holds its attributes; only a body without `id` is an envelope.
 */
export const recordOrNone = <T extends object>(body: unknown): T | null => {
  const { id, data } = Object(body) as { id?: unknown; data?: unknown };
  const answer = id || !Array.isArray(data) ? body : data;
  const found = Array.isArray(answer) && answer.length < 2 ? answer[0] : answer;
  return found == null ? null : record(found);
};

/** The body as a page of a list whose members can be relied upon. */
const listPage = <T extends EventPage | UserPage>(page: T): T => {
  const { data, pagination } = Object(page) as Partial<T>;
  const { next } = Object(pagination) as Partial<T["pagination"]>;
  check(isText(next ?? "", /^/), "pagination.next: expected a text", next);
  check(Array.isArray(data), "data: expected an array", data);
  for (const { id } of data!.map(Object)) check(isId(id), 'data[].id: expected a text other than "", "." and ".."', id);
  return page;
};

/** The same, of users, who are counted. */
const userPage = (page: UserPage): UserPage => {
  const total = Object(Object(page).pagination).total;
  check(Number.isInteger(total), "pagination.total: expected a whole number", total);
  return listPage(page);
};

/** Which users, in which order. What is left out is the service's to choose: offset 0, limit 25, order `desc`. */
export interface ListOptions extends CallOptions {
  /** How many users to pass over; a whole number. */
  offset?: number | undefined;
  /** Users per page, 1 to 100. */
  limit?: number | undefined;
  order?: "asc" | "desc" | undefined;
  sort?: "created_at" | undefined;
}

/**
 * A list of users. `await` it for one page, iterate over it for all users, or over `pages()` for all pages; on each, users that
 * an earlier page held are left out. Nothing is requested before, and never a page that is not asked for.
 *
 * Users added while a walk is under way push others onto later pages: those are given once. A walk cannot know of users
 * *deleted* meanwhile, which pull others onto earlier pages.
 */
export type UserList = List<UserPage, User>;

/** The options without the signal. */
type Query = Omit<ListOptions, "signal">;

/** Makes the function that checks the options and gives a {@link UserList}. */
export const userLists =
  (ask: Ask) =>
  ({ signal, ...first }: ListOptions = {}): UserList => {
    // In place of what is left out, a value that is right.
    const { offset = 0, limit = 1, order = "asc", sort = "created_at" } = first;
    checkWhole("offset", offset);
    checkWhole("limit", limit, { min: 1, max: 100 });
    check(["asc", "desc"].includes(order), 'order: expected "asc" or "desc"', order);
    check(sort === "created_at", 'sort: expected "created_at"', sort);
    const load = (query: Query) => ask(`users?${toQuery(query)}`, userPage, { signal });

    /**
     * Walks along `pagination.next`, one page at a time. Ends on a page without `next`, an empty one, one whose `next`
     * does not lead forwards, and one that only repeats while `next` leads beyond the last user: users that are added
     * push others onto later pages, but the total grows with them.
     */
    async function* pages(): AsyncGenerator<UserPage, void, undefined> {
      const seen = new Set<string>();
      let query = first;
      for (;;) {
        const page = await load(query);
        const { data } = page;
        const { total } = page.pagination;
        const unseen = data.filter(({ id }) => seen.size < seen.add(id).size);
        yield { ...page, data: unseen };
        const members = nextOf(page);
        const offset = Number(members.get("offset"));
        const isForwards = offset > (query.offset ?? 0);
        if (!data.length || !isForwards || (!unseen.length && offset >= total)) return;
        query = { ...query, offset, limit: Number(members.get("limit")) || query.limit };
      }
    }

    return listOf(pages);
  };

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
