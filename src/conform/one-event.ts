/** The request and the answer of one event (docs/endpoint.md, "The request", "The answer" and "Stamps"). */
import { type Ask, eventOf, stampOf } from "./ask.js";
import { type Case, first, lists, oneOf, refused, stored } from "./expect.js";

const KIB = 1_024;
/** What outlives a page, and the largest event that the script sends. */
const [LEAVING, LARGEST] = [59 * KIB, 250 * KIB];
const AT_ONCE = 20;

const takes = (name: string, what: string, body: () => string): Case => ({
  name,
  what: `${what} is answered with 2xx`,
  run: async ({ post }: Ask) => stored(await post(body())),
});
/** What is wrong for ever is dropped; another status would keep it, or try it again. */
const refuses = (name: string, what: string, body: string): Case => ({
  name,
  what: `${what} is refused with 400, 413 or 422`,
  run: async ({ post }) => refused(await post(body)),
});
/** The service cannot be well set up, so events wait. With 400 the script would take the events for wrong. */
const keepsOut = (name: string, what: string, token: string): Case => ({
  name,
  what: `${what} is answered with 401 or 403`,
  run: async ({ post }) => oneOf(await post(eventOf(), { token }), 401, 403),
});

export const ONE_EVENT: Case[] = [
  takes("event", "an event", () => eventOf({ plan: "team" })),
  takes("pageview", "a page view", () =>
    eventOf({ visit_url: "https://shop.example/a?page=2" }, { event_uid: "pageview" }),
  ),
  takes("params-empty", "an event without members of its own", () => eventOf({ account_uid: undefined })),
  takes("params-nested", "an event with lists and objects among its params", () =>
    eventOf({ items: [{ id: 1, tags: ["a", null] }] }),
  ),
  takes("params-numbers", "an event with large and small numbers", () =>
    eventOf({ big: 2 ** 53, small: 5e-324, none: 0 }),
  ),
  takes("params-deep", "an event nested 30 deep", () =>
    eventOf({ deep: JSON.parse(`${"[".repeat(30)}${"]".repeat(30)}`) }),
  ),
  takes("text-unicode", "text of any script", () => eventOf({ text: "Größe 東京 שלום 👩‍🚀" })),
  takes("text-control", "text with control characters", () => eventOf({ text: "a\u0000b\u001f\u2028\u2029" })),
  takes("text-surrogate", "half of a character pair", () => eventOf({ text: "\ud83d" })),
  takes("text-quotes", "text with quotes and backslashes", () => eventOf({ text: `'";\\ -- {{x}} <b>` })),
  takes("name-odd", "an event with blanks in its name", () =>
    eventOf({}, { event_uid: "tracklet_conform – an odd name" }),
  ),
  takes("uid-mail", "a contact whose uid is an e-mail address", () =>
    eventOf({}, { contact_uid: "tracklet+conform@mail.example" }),
  ),
  takes("size-leaving", "an event of 59 KiB, as much as outlives a page", () => eventOf({ text: "x".repeat(LEAVING) })),
  {
    name: "size-largest",
    what: "an event of 250 KiB is answered with 2xx, or refused with 413",
    run: async ({ post }) => {
      const answer = await post(eventOf({ text: "x".repeat(LARGEST) }));
      return answer.status === 413 ? undefined : stored(answer);
    },
  },
  {
    name: "no-redirect",
    what: "the address answers itself: the script follows no redirect",
    run: async ({ post }) => {
      const { status, headers } = await post(eventOf());
      if (status >= 300 && status < 400) return `got ${status} to ${headers.get("location") ?? "nowhere"}`;
    },
  },
  {
    name: "at-once",
    what: `${AT_ONCE} events at once are all answered with 2xx`,
    run: async ({ post }) =>
      first(...(await Promise.all(Array.from({ length: AT_ONCE }, () => post(eventOf())))).map(stored)),
  },
  {
    name: "no-cookies",
    what: "an event without cookies is answered with 2xx, and sets none",
    run: async ({ post }) => {
      const answer = await post(eventOf());
      return stored(answer) ?? (answer.headers.has("set-cookie") ? "got Set-Cookie" : undefined);
    },
  },
  {
    name: "no-store",
    what: "an answer may be stored: it has no Cache-Control: no-store",
    isAdvice: true,
    run: async ({ post }) =>
      /no-store/i.test((await post(eventOf())).headers.get("cache-control") ?? "")
        ? "got no-store: Chromium keeps no page in its back/forward cache that has had such an answer"
        : undefined,
  },
  takes("stamped", "an event with the four members of a stamp, which every event of a page has", () =>
    eventOf(stampOf()),
  ),
  {
    name: "stamped-again",
    what: "the repeat of a stamped event is answered with 2xx, too",
    run: async ({ post }) => {
      const body = eventOf(stampOf());
      return first(stored(await post(body)), stored(await post(body)));
    },
  },
  takes("stamped-late", "an event that waited for 29 days", () =>
    eventOf({ ...stampOf(), occurred_at: Date.now() - 29 * 86_400_000 }),
  ),
  takes("stamped-wrong-time", "an event of a clock that is years ahead", () =>
    eventOf({ ...stampOf(), occurred_at: 4e12 }),
  ),
  takes("event-id-own", "an event_id of the page's own, no stamp", () => eventOf({ event_id: "ticket 42" })),
  refuses("no-contact", "an event without contact_uid", eventOf({}, { contact_uid: undefined })),
  refuses("empty-contact", "an empty contact_uid", eventOf({}, { contact_uid: "" })),
  refuses("no-name", "an event without event_uid", eventOf({}, { event_uid: undefined })),
  refuses("params-list", "params that are a list", eventOf({}, { params: ["a"] })),
  refuses("no-json", "a body that is no JSON", '{"contact_uid":'),
  refuses("list", "a list at the address of one event", `[${eventOf()}]`),
  keepsOut("no-token", "an event without a token", ""),
  keepsOut("wrong-token", "an event with a wrong token", "tracklet-conform-wrong"),
  {
    name: "retry-after",
    what: "an answer that has Retry-After names seconds, and lets pages read it",
    run: async ({ post }) => {
      const answer = await post(eventOf());
      const wait = answer.headers.get("retry-after");
      if (wait === null) return;
      return /^\d+$/.test(wait)
        ? lists(answer, "access-control-expose-headers", "Retry-After")
        : `expected seconds, got ${wait}`;
    },
  },
];
