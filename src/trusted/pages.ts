import type { CallOptions } from "./http/reach.js";

/** Asks for what is behind a path, and makes the result out of the answer. */
export type Ask = <T>(path: string, accept: (body: never) => T, options?: CallOptions) => Promise<T>;

/** A query, by way of JSON: that leaves out what is undefined, and makes texts of dates. */
export const toQuery = (members: object): URLSearchParams => new URLSearchParams(JSON.parse(JSON.stringify(members)));

/** Where a page's `next` leads. Nothing else of it is used: with a foreign host or path, the token would go there. */
export const nextOf = ({ pagination }: { pagination?: { next?: string | null } }): URLSearchParams =>
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
