/** What may happen in a history: steps at random, in the words of the stories. */
import fc from "fast-check";

export type Weighted = fc.WeightedArbitrary<string>;
type Part = string | fc.Arbitrary<unknown>;

/** A step in words, some of which are drawn. */
const words = (...parts: Part[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((drawn) => drawn.filter((word) => word !== "").join(" "));
const often = (weight: number, ...parts: Part[]): Weighted => ({ weight, arbitrary: words(...parts) });

const one = (...values: (string | number)[]) => fc.constantFrom(...values);
const from = (min: number, max: number) => fc.integer({ min, max });
/** One of those that run. */
const page = one("a", "b", "c", "d");
const maybe = (word: string) => one("", word);
const who = one("alice", "alice/acme", "alice/globex", "bob", "bob/acme", "bob/globex");
/** Timers of hidden pages come once a second, and once a minute after five. */
const browser = words(one("", "", "throttleMs=1000", "throttleMs=60000"), maybe("readsFresh=true"));
const busy = (seconds: number): string => `503+${seconds}`;
const alternating = (seconds: number): string => `429+${seconds} up `.repeat(20);
const ms = fc.oneof(fc.nat(50), fc.nat(1_000), fc.nat(30_000), fc.nat(400_000));
/** `V` stands still, right after an event or with the lock; then it hears of the others last. */
const WAKES = ["V wakes", "V wakes; V leaves 0 0", "V wakes; V leaves navigating", "V wakes; V shows", "V crashes"];
/** Others do what `V` had to do. */
const still = (...parts: Part[]): Part[] => [
  "V opens; V tracks",
  from(1, 3),
  ";",
  maybe("V hides;"),
  ...parts,
  fc.oneof(fc.nat(8_000), fc.nat(60_000)),
  "ms;",
  one(...WAKES),
];

/** Outages, exits, crashes and full storage; all pages are of one contact. */
export const BASE: Weighted[] = [
  often(10, page, "tracks", from(1, 6)),
  often(10, ms, "ms"),
  often(3, "weather", one("up", "up", "up", "refused", "unavailable", "silent", "401", "400", "half")),
  often(1, "weather", fc.oneof(from(1, 90).map(busy), from(1, 90).map(alternating))),
  often(4, "next", one("refused", "lost", "429", "503")),
  // Of how many events it takes in one request, it may change its mind.
  often(1, "most", one("", 3, 1_000)),
  often(3, "another", browser, one("", "", "", "prerendering"), maybe("stamped")),
  // A page that lives for less than two seconds.
  often(
    2,
    "V opens; V tracks",
    from(0, 3),
    ";",
    fc.nat(2_000),
    "ms; V",
    one("leaves 0 0", "leaves 0 30", "crashes", "crashes"),
  ),
  often(3, page, "leaves", one(0, 0, 20), one(0, 30), maybe("navigating"), one("", "", "tracking")),
  often(1, page, "cut", one(0, 0, 1, 2, 3, 5, 8), from(0, 50)),
  often(
    9,
    page,
    one("crashes", "hides", "shows", "online", 'calls "flush"', "freezes", "covers", "activates", "forges"),
  ),
  often(1, page, "returns", maybe("unseen")),
  // A click opens another tab, and the page lives on out of sight, perhaps with a bad line.
  often(
    3,
    one("", "next refused;"),
    "V opens; V tracks;",
    fc.nat(600),
    "ms; V hides; a tracks;",
    fc.nat(6_000),
    one("ms; V shows; V crashes", "ms; V leaves 0 30"),
  ),
  // It is busy, stopped, or asks the visitor: perhaps right after an event.
  often(
    2,
    page,
    "stalls",
    fc.nat(5).map((s) => s / 2),
    maybe("tracking"),
  ),
  often(2, page, "stops"),
  often(2, page, "wakes", one("", "", "; a leaves navigating")),
  // A tab in the background hears last that the service is well again, and that another one has sent its events.
  often(2, ...still("weather refused;", fc.nat(9_000), "ms; V stops; weather up; another; a online;")),
  // One stops as it has the lock, and perhaps a request under it.
  often(
    2,
    ...still(
      "weather",
      one("refused", "silent"),
      ";",
      fc.nat(9_000),
      "ms; weather up; V online;",
      fc.nat(900),
      "ms; V stops; another; a tracks;",
    ),
  ),
  // Many former pages, whose events wait.
  often(
    1,
    "weather refused;",
    from(4, 12).map((n) => "V opens; V tracks; V crashes;".repeat(n)),
    maybe("weather up"),
  ),
  // What is larger than what outlives a page.
  often(1, page, 'tracks {"text":"LARGE"}'),
  often(1, "storage", one("full 60", "free")),
];

/** Processes that end in the middle of something. */
export const KILLS: Weighted[] = [often(3, page, "falters", fc.nat(30))];

export const JUMPS: Weighted[] = [
  often(2, "jump", fc.oneof(from(-86_400_000, 86_400_000), from(-3_600_000, 3_600_000), from(-25_000, 25_000))),
];

/** Events that the service can never take, until it is mended. */
export const POISON: Weighted[] = [
  often(4, page, "tracks poison", one("400", "500", "refused", "silent")),
  often(1, "cured"),
];

/** Pages that empty the storage of their site. */
export const CLEARING: Weighted[] = [often(3, page, one("clears", "clears", "removes"))];

/** Several people, in several accounts. */
export const IDENTITIES: Weighted[] = [
  often(4, page, "identifies", who),
  often(2, page, "resets"),
  often(3, "another nobody", browser),
  // The log-in is known to another tab first.
  often(2, "V opens nobody; V tracks; V hides; V stops; a identifies", who, ";", fc.nat(8_000), "ms;", one(...WAKES)),
  often(1, "another as", who, browser),
  often(1, "another nobody identity=page", browser),
];

export const CONSENT: Weighted[] = [often(3, page, one("agrees", "refuses")), often(1, "another pending", browser)];
