import type { CallOptions } from "./http/reach.js";
import { check, checkWhole } from "./http/validate.js";
import { type Ask, type List, listOf, nextOf, toQuery } from "./pages.js";
import { userPage } from "./parse-records.js";
import type { User, UserPage } from "./records.js";

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
