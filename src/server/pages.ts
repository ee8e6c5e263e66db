import type { CallOptions } from "./reach.js";

/** Asks for what is behind a path, and makes the result out of the answer. */
export type Ask = <T>(path: string, accept: (body: never) => T, options?: CallOptions) => Promise<T>;

/** A query, by way of JSON: that leaves out what is undefined, and makes texts of dates. */
export const toQuery = (members: object): URLSearchParams => new URLSearchParams(JSON.parse(JSON.stringify(members)));

/** Where a page's `next` leads. Nothing else of it is used: with a foreign host or path, the token would go there. */
export const nextOf = ({ pagination }: { pagination?: { next?: string | null } }): URLSearchParams =>
  new URLSearchParams(pagination?.next?.split("?")[1]);
