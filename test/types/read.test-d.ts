/** Misuse of `tracklet/read` is a compile error: `tsc -p test` fails when one of these lines compiles. */
import {
  type Account,
  ApiError,
  createReader,
  type Pagination,
  RateLimitError,
  TrackletError,
  type User,
  type UserPage,
} from "../../src/read.js";

export const use = async (): Promise<void> => {
  const reader = createReader({ baseUrl: "https://api.example.com", accessToken: "token" });
  createReader({ baseUrl: "", accessToken: "", fetch, timeoutMs: 1, retries: 0, allowBrowser: true });
  // @ts-expect-error the token is required
  createReader({ baseUrl: "https://api.example.com" });
  // @ts-expect-error so is the address
  createReader({ accessToken: "token" });
  // @ts-expect-error no such option
  createReader({ baseUrl: "", accessToken: "", timeout: 5 });
  // @ts-expect-error milliseconds are a number
  createReader({ baseUrl: "", accessToken: "", timeoutMs: "5" });

  const account: Account = await reader.accounts.get("1", { signal: new AbortController().signal });
  const name: unknown = account.anything;
  // @ts-expect-error members that are not known have no type
  account.anything.length;
  // @ts-expect-error the interface promises no member of an account
  account.id.length;
  // @ts-expect-error an id is a text
  reader.accounts.get(1);
  // @ts-expect-error an id is required
  reader.contacts.get();
  // @ts-expect-error nothing may have been found
  (await reader.contacts.findByUid("1")).unique_id;

  const page: UserPage = await reader.users.list();
  const { total, next }: Pagination = page.pagination;
  // @ts-expect-error there may be no next page
  next.length;
  for await (const user of reader.users.list({ offset: 0, limit: 5, order: "asc", sort: "created_at" })) {
    const { role }: User = user;
    role.toUpperCase();
  }
  for await (const { data } of reader.users.list().pages()) data.map(({ enabled }) => !enabled);
  // @ts-expect-error asc or desc
  reader.users.list({ order: "up" });
  // @ts-expect-error created_at is the one field to sort by
  reader.users.list({ sort: "name" });
  // @ts-expect-error a limit is a number
  reader.users.list({ limit: "5" });
  // @ts-expect-error no such option
  reader.users.list({ page: 2 });
  // @ts-expect-error a list is no array
  reader.users.list().map((user) => user);
  // @ts-expect-error there is no such collection
  reader.segments;

  const error: unknown = name;
  if (error instanceof RateLimitError) error.retryAfterMs.toFixed();
  if (error instanceof ApiError) {
    error.headers.get("date");
    // @ts-expect-error what an answer told does not change
    error.status = total;
  }
  // @ts-expect-error without an answer there is no status
  if (error instanceof TrackletError) error.status;
};
