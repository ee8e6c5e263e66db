/** Several events in one request, where the service offers it (docs/endpoint.md, "Several events in one request"). */
import { type Answer, eventOf, stampOf } from "./ask.js";
import { type Case, first, lists, oneOf, readable, stored } from "./expect.js";

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
