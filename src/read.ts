/** `tracklet/read`: the look-ups of accounts, contacts, users and events, for servers and other trusted places. */

import { NotFoundError, TrackletError } from "./api-client/errors.js";
import {
  type Account,
  type Ask,
  type Contact,
  type EventOptions,
  type EventPage,
  eventPages,
  isId,
  type List,
  type ListOptions,
  listOf,
  record,
  recordOrNone,
  type StoredEvent,
  type UserList,
  userLists,
} from "./api-client/look-ups.js";
import { type CallOptions, checkReach, type Reach, request } from "./api-client/request.js";
import { check, checkAddress, isObject, isText } from "./api-client/validate.js";

export {
  type AnswerDetails,
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  TrackletError,
} from "./api-client/errors.js";
export type {
  Account,
  Contact,
  EventOptions,
  EventPage,
  List,
  ListOptions,
  Metrics,
  Pagination,
  References,
  Stage,
  StoredEvent,
  User,
  UserList,
  UserPage,
} from "./api-client/look-ups.js";
export type { CallOptions, Reach } from "./api-client/request.js";

/** Where the records are, and who asks. */
export interface ReaderConfig extends Reach {
  /** Address in front of `/v2`, such as `https://api.example.com`. */
  baseUrl: string;
  /** Sent as a bearer token. */
  accessToken: string;
  /** Allows use in a page, for instance of an internal tool: whoever opens that page can read the token. */
  allowBrowser?: boolean | undefined;
}

/** Looks up one kind of record. */
export interface Records<T> {
  /**
   * @param id the service's own id
   * @throws NotFoundError when there is none
   * @throws TypeError when `id` is `""`, `"."`, `".."` or no string
   */
  get(id: string, options?: CallOptions): Promise<T>;
  /**
   * @param uid the unique id that you supplied
   * @returns `null` when nothing matches
   * @throws TypeError when `uid` is `""`, `"."`, `".."` or no string
   */
  findByUid(uid: string, options?: CallOptions): Promise<T | null>;
}

/** See {@link createReader}. */
export interface Reader {
  accounts: Records<Account>;
  contacts: Records<Contact>;
  users: {
    /** @throws TypeError at once, naming the option that is wrong */
    list(options?: ListOptions): UserList;
  };
  /**
   * Events, the oldest first: iterate over the list for all of them, `await` it for one page. Tracklet's own service has them,
   * the vendor's interface does not: it answers with a NotFoundError. A wrong option is refused by the service.
   */
  events(options?: EventOptions): List<EventPage, StoredEvent>;
}

/**
 * Makes a reader of the service's records. Calls reject with `ApiError` (among them `NotFoundError`,
 * `AuthenticationError` and `RateLimitError`), `ConnectionError`, `TimeoutError`, or the reason of their signal.
 *
 * @throws TypeError when the configuration is wrong
 * @throws TrackletError in a page, unless `allowBrowser`
 */
export const createReader = (config: ReaderConfig): Reader => {
  check(isObject(config), "config: expected an object", config);
  const { accessToken, allowBrowser, baseUrl, ...reach } = config;
  if (globalThis.document && !allowBrowser) throw new TrackletError("accessToken in a page needs allowBrowser: true");
  checkAddress("baseUrl", baseUrl);
  // What a header cannot hold, `fetch` refuses with an error that quotes it.
  check(isText(accessToken, /^[!-~]+$/), "accessToken: expected ASCII without spaces", accessToken && "***");
  checkReach(reach);

  const ask: Ask = (path, accept, options) =>
    request(
      {
        method: "GET",
        url: `${baseUrl.replace(/\/*$/, "/v2/")}${path}`,
        headers: { Accept: "application/json", Authorization: `Bearer ${accessToken}` },
        tokens: [accessToken],
        maxMiB: 16,
        accept,
      },
      reach,
      options,
    );
  const lookUp =
    <T extends object | null>(name: string, path: string, accept: (body: unknown) => T) =>
    async (id: string, options?: CallOptions): Promise<T> => {
      check(isId(id), `${name}: expected a text other than "", "." and ".."`, id);
      return ask(path + encodeURIComponent(id), accept, options);
    };
  const records = <T extends object>(kind: string): Records<T> => {
    const find = lookUp("uid", `${kind}?uid=`, recordOrNone<T>);
    return {
      get: lookUp("id", `${kind}/`, record<T>),
      findByUid: (uid, options) =>
        find(uid, options).catch((error) => {
          if (error instanceof NotFoundError) return null;
          throw error;
        }),
    };
  };

  return {
    accounts: records("accounts"),
    contacts: records("contacts"),
    users: { list: userLists(ask) },
    events: (options) => listOf(() => eventPages(ask)(options)),
  };
};
