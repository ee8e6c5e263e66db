import { COUNT, type Rules } from "./check.js";
import type { User, UserPage } from "./records.js";
import type { CallOptions } from "./request.js";

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
 * A list of users. `await` it for one page, iterate over it for all users, or over `pages()` for all pages. Nothing is
 * requested before, and never a page that is not asked for.
 *
 * Users added while a walk is under way push others onto later pages: those are given once. A walk cannot know of users
 * *deleted* meanwhile, which pull others onto earlier pages.
 */
export interface UserList extends PromiseLike<UserPage>, AsyncIterable<User> {
  /** All pages; on each, users that an earlier page held are left out. */
  pages(): AsyncGenerator<UserPage, void, undefined>;
}

/** The options without the signal. */
export type Query = Omit<ListOptions, "signal">;

/** Requests one page. */
export type Load = (query: Query) => Promise<UserPage>;

/** What {@link ListOptions} must look like. */
export const LIST_OPTIONS: Rules = {
  offset: COUNT,
  limit: /^(undefined|[1-9]\d?$|100$)/,
  order: /^(undefined|"(asc|desc)")/,
  sort: /^(undefined|"created_at")/,
};

/** See {@link UserList}. */
export const userList = (first: Query, load: Load): UserList => {
  let page: Promise<UserPage> | undefined;

  /**
   * Walks along `pagination.next`, one page at a time. Ends on a page without `next`, an empty one, one whose `next`
   * does not lead forwards, and one that only repeats: unless users were added, each of which pushes one onto a page
   * to come, so that no more are met again than were added.
   */
  async function* pages(): AsyncGenerator<UserPage, void, undefined> {
    const seen = new Set<string>();
    let query = first;
    let met = 0;
    let totalAtFirst: number | undefined;
    for (;;) {
      const page = await load(query);
      const { next, total } = page.pagination;
      const data = page.data.filter(({ id }) => seen.size < seen.add(id).size);
      totalAtFirst ??= total;
      met += page.data.length;
      yield { ...page, data };
      // Nothing else of `next` is used: with a foreign host or path, the token would go there.
      const members = new URLSearchParams(next?.split("?")[1]);
      const offset = Number(members.get("offset"));
      const isRepeated = !data.length && met - seen.size > total - totalAtFirst;
      if (!page.data.length || isRepeated || !offset || offset <= query.offset!) return;
      query = { ...query, offset, limit: Number(members.get("limit")) || query.limit };
    }
  }

  return {
    pages,
    // biome-ignore lint/suspicious/noThenProperty: awaiting the list asks for its page, and nothing before that does
    then(...handlers) {
      page ??= load(first);
      return page.then(...handlers);
    },
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
};
