import {
  type Answer,
  type Ask,
  type Case,
  eventOf,
  first,
  lists,
  oneOf,
  readable,
  refused,
  stampOf,
  stored,
  type Verdict,
} from "./ask.js";

/** The request and the answer of one event (docs/endpoint.md, "The request", "The answer" and "Stamps"). */

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

/** Several events in one request, where the service offers it (docs/endpoint.md, "Several events in one request"). */

const list = (...events: string[]): string => `[${events.join()}]`;
const several = { several: true };
/** The header of the offer. */
const OFFER = "tracklet-batch";
const stamped = (): string => eventOf(stampOf());

/** The verdicts of the answer, in its order; none where the body holds none. */
const verdictsOf = ({ text }: Answer): string[] => {
  try {
    return (JSON.parse(text) as { status: string }[]).map(({ status }) => status);
  } catch {
    return [];
  }
};
const judged = (answer: Answer, status: number, ...verdicts: string[]): string | undefined => {
  const found = verdictsOf(answer).join(", ");
  return (
    oneOf(answer, status) ??
    (found === verdicts.join(", ") ? undefined : `expected ${verdicts.join(", ")}, got ${found || "no verdicts"}`)
  );
};

export const SEVERAL_EVENTS: Case[] = [
  {
    name: "several-path",
    what: "the second address, to which the script adds an s, reaches the service: no proxy keeps it to itself",
    run: async ({ post }) => {
      const { status, headers } = await post(list(stamped()), several);
      const isService = status !== 404 && status !== 405 && (status < 200 || status > 399 || headers.has(OFFER));
      return isService ? undefined : `expected an answer of the service, got ${status} without Tracklet-Batch`;
    },
  },
  {
    name: "several-preflight",
    what: "the preflight of the second address is answered as the first",
    run: async ({ preflight, origin }) => {
      const answer = await preflight(several);
      return first(
        stored(answer),
        readable(answer, origin),
        lists(answer, "access-control-allow-headers", "Content-Type"),
      );
    },
  },
  {
    name: "several-stored",
    what: "three events are answered with 200, and a verdict each",
    run: async ({ post }) =>
      judged(await post(list(stamped(), stamped(), stamped()), several), 200, "stored", "stored", "stored"),
  },
  {
    name: "several-refused",
    what: "one wrong event among three is refused with 207, and fails no other",
    run: async ({ post }) =>
      judged(await post(list(stamped(), "{}", stamped()), several), 207, "stored", "refused", "stored"),
  },
  {
    name: "several-refused-origin",
    what: "the 207 can be read by a page",
    run: async ({ post, origin }) => readable(await post(list(stamped(), "{}"), several), origin),
  },
  {
    name: "several-repeated",
    what: "a stamp is stored once, whether its event came alone or among several: pages send what may be a repeat",
    run: async ({ post }) => {
      const [one, single] = [stamped(), stamped()];
      return first(
        judged(await post(list(one), several), 200, "stored"),
        stored(await post(single)),
        judged(await post(list(one, single), several), 200, "repeated", "repeated"),
      );
    },
  },
  {
    name: "several-size",
    what: "60 KiB of events are taken together",
    run: async ({ post }) =>
      stored(
        await post(
          list(...Array.from({ length: 20 }, () => eventOf({ ...stampOf(), text: "x".repeat(2_700) }))),
          several,
        ),
      ),
  },
  {
    name: "several-most",
    what: "as many events as the service offers are taken together",
    run: async ({ post }) => {
      const most = Number((await post(stamped())).headers.get(OFFER));
      // Pages send 60 KiB at most.
      const events = Array.from({ length: Math.min(most, 150) }, stamped);
      return stored(await post(list(...events), several));
    },
  },
  {
    name: "several-offer",
    what: "the offer comes with the answer to several events, too, and pages may read it",
    run: async ({ post }) => {
      const answer = await post(list(stamped()), several);
      const offer = answer.headers.get(OFFER);
      return first(
        /^\d+$/.test(offer ?? "") ? undefined : `expected Tracklet-Batch: a number, got ${offer ?? "none"}`,
        lists(answer, "access-control-expose-headers", "Tracklet-Batch"),
      );
    },
  },
  {
    name: "several-token",
    what: "several events with a wrong token are answered with 401 or 403",
    run: async ({ post }) =>
      oneOf(await post(list(stamped()), { several: true, token: "tracklet-conform-wrong" }), 401, 403),
  },
];

/** What a browser asks of a service of another origin (docs/endpoint.md, "CORS"). */

/** Shorter, and a browser asks before nearly every event. */
const SHORTEST_S = 600;

const check = (
  name: string,
  what: string,
  ask: (ask: Ask) => Promise<Answer>,
  judge: (answer: Answer, ask: Ask) => string | undefined,
): Case => ({
  name,
  what,
  run: async (by) => judge(await ask(by), by),
});
/** A page that cannot read an answer takes it for none, and tries again for ever. */
const reads = (name: string, what: string, ask: (ask: Ask) => Promise<Answer>): Case =>
  check(name, `${what} can be read by a page`, ask, (answer, { origin }) => readable(answer, origin));

const preflight = ({ preflight }: Ask): Promise<Answer> => preflight();

export const PAGES: Case[] = [
  check("preflight", "the preflight is answered with 2xx", preflight, stored),
  reads("preflight-origin", "the preflight", preflight),
  check("preflight-type", "the preflight allows Content-Type", preflight, (answer) =>
    lists(answer, "access-control-allow-headers", "Content-Type"),
  ),
  check("preflight-age", `the preflight holds for ${SHORTEST_S} s at least`, preflight, ({ headers }) => {
    const age = headers.get("access-control-max-age");
    return Number(age) >= SHORTEST_S
      ? undefined
      : `expected Access-Control-Max-Age: ${SHORTEST_S} or more, got ${age ?? "none"}`;
  }),
  reads("stored-origin", "the answer to an event", ({ post }) => post(eventOf())),
  reads("refused-origin", "the answer to a wrong event", ({ post }) => post("{}")),
  reads("token-origin", "the answer to a wrong token", ({ post }) =>
    post(eventOf(), { token: "tracklet-conform-wrong" }),
  ),
  reads("large-origin", "the answer to an event of 2 MiB", ({ post }) =>
    post(eventOf({ text: "x".repeat(2_097_152) })),
  ),
  check(
    "null-origin",
    "a page without an origin of its own, as in a sandbox, can read the answer",
    ({ post }) => post(eventOf(), { headers: { Origin: "null" } }),
    (answer) => readable(answer, "null"),
  ),
  check(
    "beacon",
    "a beacon, which carries cookies, is answered with the page's own origin and Allow-Credentials: true",
    ({ post }) => post(eventOf()),
    ({ headers }, { origin }) =>
      headers.get("access-control-allow-origin") === origin &&
      headers.get("access-control-allow-credentials") === "true"
        ? undefined
        : "browsers without keepalive (Firefox before 133) lose what they send as they leave a page",
  ),
  check(
    "one-origin",
    "the origin is named once",
    ({ post }) => post(eventOf()),
    ({ headers }) =>
      /,/.test(headers.get("access-control-allow-origin") ?? "")
        ? `got ${headers.get("access-control-allow-origin")}`
        : undefined,
  ),
  check(
    "page-of-https",
    "a page of another origin can read the answer, too",
    ({ post }) => post(eventOf(), { headers: { Origin: "https://other.example" } }),
    (answer) => first(stored(answer), readable(answer, "https://other.example")),
  ),
];

/** All that docs/endpoint.md says of a service, as cases with names of their own, in its order. */

export interface Result {
  name: string;
  what: string;
  wrong?: Verdict;
  /** What is wrong is a warning. */
  isAdvice?: boolean | undefined;
  /** Not asked, because the service does not offer it. */
  isLeftOut?: boolean;
}

export const CASES = [...ONE_EVENT, ...PAGES, ...SEVERAL_EVENTS];

/**
 * Asks one case after another, so that the service is asked no more than by one visitor.
 *
 * @throws Error where the first question has no answer
 */
export async function* runCases(ask: Ask): AsyncGenerator<Result> {
  const offers = (await ask.post(eventOf())).headers.has("tracklet-batch");
  for (const one of CASES) {
    const { name, what, run, isAdvice } = one;
    if (!offers && SEVERAL_EVENTS.includes(one)) yield { name, what, isLeftOut: true };
    else yield { name, what, isAdvice, wrong: await run(ask).catch(({ message }: Error) => message) };
  }
}
