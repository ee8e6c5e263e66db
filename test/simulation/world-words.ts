/** The words of a story on all pages: what happens to them, and what is expected. */
import { expect } from "vitest";
import { scopeOf } from "../../src/shared/option-values.js";
import { fill } from "./area.js";
import type { Journal } from "./journal.js";
import { readFate, readOpening, words } from "./read-words.js";
import type { Fate } from "./service.js";
import type { Teller } from "./story.js";
import type { Page } from "./world.js";

/** So many pages run at once in a history at random. */
const MAX_PAGES = 4;

/** What the rows of an event, a contact and a back-off begin with, of pages with the usual token. */
export const FILED = `tracklet:${scopeOf("token")}:`;

const counted = (text: string, many: number): string => (many > 1 ? `${text} x${many}` : text);
const running = (pages: Page[]): Page[] => pages.filter(({ isDead, isFrozen }) => !isDead && !isFrozen);

/** The names of those that have not arrived. */
export const missing = ({ entries }: Pick<Journal, "entries">): string[] =>
  [...entries.values()].flatMap(({ name, stored }) => (stored ? [] : [name]));

const ownerOf = ({ world }: Journal, name: string): string => {
  const body = world.sent.findLast((sent) => sent.name === name)?.body;
  if (!body) return "nobody";
  const { contact_uid, params } = JSON.parse(body);
  return params.account_uid ? `${contact_uid}/${params.account_uid}` : contact_uid;
};

/** What happens to all of them, and what is expected. */
export const WORLD: Record<string, (teller: Teller, rest: string) => unknown> = {
  /** How the next requests fare, and the last of these for ever: `weather 503+60 up`; `half` of all fail, at random. */
  weather: ({ service, random }, text) => {
    const fates = words(text).map(readFate);
    const half = (): Fate => [random() < 0.5 ? 200 : random() < 0.5 ? 0 : 503];
    service.rule = text === "half" ? half : () => (fates.length > 1 ? fates.shift()! : fates[0]!);
  },
  /** All that is random comes out so: `chance 1` draws the longest of all waits. */
  chance: (teller, value) => {
    teller.chance = Number(value);
  },
  /** The same for the next request alone. */
  next: ({ service }, fate) => {
    service.once = readFate(fate);
  },
  /** Pages that are opened from now on stamp their events. */
  stamped: ({ world }) => {
    world.isStamped = true;
  },
  /** The service takes so many events in one request, or, without a number, one: it may change its mind. */
  most: ({ world }, count) => {
    world.most = count ? Number(count) : undefined;
  },
  /** The address of several events answers so, whoever it is that knows nothing of them. */
  plural: ({ world }, status) => {
    world.pluralAnswers = status ? Number(status) : undefined;
  },
  /** Bodies of answers never end. */
  endless: ({ world }) => {
    world.isEndless = true;
  },
  latency: ({ service }, ms) => {
    service.latency = () => Number(ms);
  },
  /** Until the service is asked once more, for an hour at most. */
  asked: ({ until, world }) => {
    const { length } = world.sent;
    return until(() => world.sent.length > length);
  },
  /** One more page, in histories at random. */
  another: async ({ world, open }, text) => {
    if (running(world.pages).length < MAX_PAGES) await open(readOpening(text));
  },
  cured: ({ service }) => service.poison.clear(),
  storage: ({ world: { storage } }, state) => {
    if (state?.startsWith("full")) fill(storage, Number(state.slice(5)));
    else Object.assign(storage, { isDenied: state === "denied", quota: Number.POSITIVE_INFINITY });
  },
  /** Something else has written this row, of the usual token or of the choice: `row backoff NOW,5`, `row consent denied`. */
  row: ({ world }, text) => {
    const [, key, row = ""] = /^(\S+) ?(.*)$/.exec(text)!;
    world.storage.rows[(key === "consent" ? "tracklet:" : FILED) + key] = row.replace("NOW", `${world.clock.wall()}`);
  },
  jump: (teller, ms) => {
    teller.isExact = false;
    teller.inform("onJump");
    teller.world.clock.jump(Number(ms));
  },
  offline: ({ world }) => {
    world.isOnline = false;
  },
  online: ({ world }) => {
    world.isOnline = true;
  },

  /** Each event has arrived, once. */
  once: ({ entries }) => {
    const wrong = [...entries.values()].filter(({ stored }) => stored !== 1);
    expect(wrong.map(({ name, stored }) => `${name} x${stored}`)).toEqual([]);
  },
  arrived: (teller) => expect(missing(teller)).toEqual([]),
  /** All but the poisonous ones have. */
  others: (teller) => expect(missing(teller).filter((name) => !teller.service.poison.has(name))).toEqual([]),
  /** The names of all requests, in this order. */
  sent: ({ world }, names) => expect(world.names().join(" ")).toBe(names),
  /** How many requests since the last time: `requests 5`, `requests <20`. */
  requests: (teller, text) => {
    const count = teller.world.sent.length - teller.counted;
    teller.counted = teller.world.sent.length;
    if (text.startsWith("<")) expect(count).toBeLessThan(Number(text.slice(1)));
    else expect(`${count}`).toBe(text);
  },
  open: ({ world }, count) => expect(world.openRequests().length).toBe(Number(count)),
  waiting: ({ world }, names) => expect(world.stored().sort().join(" ")).toBe(names),
  /** The tracker's keys; events are one word. */
  keys: ({ world }, text) => {
    const keys = Object.keys(world.storage.latest()).map((key) =>
      key.replace(FILED, "tracklet:").replace(/^tracklet:(?:(event)3:.*)?/, "$1"),
    );
    expect(keys.sort().join(" ")).toBe(text);
  },
  /** As whom each event was sent last, in the order of tracking: `ann/acme x3, nobody`. */
  owners: (teller, text) => {
    const runs: [string, number][] = [];
    for (const name of teller.entries.keys()) {
      const owner = ownerOf(teller, name);
      if (runs.at(-1)?.[0] === owner) runs.at(-1)![1]++;
      else runs.push([owner, 1]);
    }
    expect(runs.map((run) => counted(...run)).join(", ")).toBe(text);
  },
  /** For a minute no page has a timer or touches the storage. */
  rest: async ({ world: { clock, pages } }) => {
    const living = running(pages);
    const before = living.map(({ storageUses }) => storageUses);
    await clock.advance(60_000);
    const used = living.map((page, index) => [page.storageUses - before[index]!, page.waits()]);
    expect(used).toEqual(living.map(() => [0, 0]));
  },
};
