import { COLOURS, colourOf, giveColours, OTHER_COLOUR } from "./colours.js";

/* The events as they arrive: how they are followed, and how often each name came. */

/** An event of `GET /v2/events`. */
export interface Arrival {
  id: string;
  received_at: number;
  /** When it happened, where its page has stamped it with a time that the service believes. */
  occurred_at: number | null;
  contact_uid: string;
  account_uid: string | null;
  contact: { id: string; name: string };
  account: { id: string; name: string } | null;
  event_uid: string;
  params: Record<string, unknown> | null;
  /** Where the service looks at proofs of identity. */
  proven?: boolean;
}

/** Milliseconds between two questions to the service. */
const ASK_MS = 500;
/** Events of the first answer, and of a later one. */
const [FIRST, PAGE] = ["500", 1_000];
/** Milliseconds by which an event may be seen behind a newer one, because its transaction took longer. */
const LATE_MS = 5_000;

/** Connecting until the first time live, and after the page has come back from the back/forward cache. */
export type Connection = "connecting" | "live" | "reconnecting";

/**
 * Follows the arrivals: the latest stored events first, then each new one, once. Asks again and again for what is newer than a few seconds, and
 * drops what it has.
 *
 * @param read `GET /v2/events`; rejects while there is no answer
 * @param isShown nothing is asked while it is not
 */
export const followArrivals = (
  { read, isShown }: { read: (query: URLSearchParams) => Promise<Arrival[]>; isShown: () => boolean },
  { onEvent, onState }: { onEvent: (event: Arrival) => void; onState: (state: Connection) => void },
): void => {
  let state: Connection | undefined;
  let timer: ReturnType<typeof setTimeout>;
  /** Are the latest events asked for, until there are any? */
  let isFirst = true;
  let newest = 0;
  /** Ids of the answer before. */
  let known = new Set<string>();

  const tell = (now: Connection) => {
    if (state !== now) onState(now);
    state = now;
  };
  const readNew = async (): Promise<Arrival[]> => {
    const from = Math.max(0, newest - LATE_MS);
    if (isFirst) {
      const latest = await read(new URLSearchParams({ limit: FIRST, order: "desc", names: "true" }));
      return latest.filter((event) => event.received_at >= from).reverse();
    }
    const events: Arrival[] = [];
    for (let since = from; ; ) {
      const page = await read(new URLSearchParams({ limit: `${PAGE}`, since: `${since}`, names: "true" }));
      events.push(...page);
      const last = page.at(-1)?.received_at;
      if (page.length < PAGE || last === undefined || last === since) return events;
      since = last;
    }
  };
  const look = async () => {
    try {
      const events = await readNew();
      for (const event of events) if (!known.has(event.id)) onEvent(event);
      known = new Set(events.map(({ id }) => id));
      for (const event of events) newest = Math.max(newest, event.received_at);
      isFirst = newest === 0;
      tell("live");
    } catch {
      tell(state === "connecting" ? "connecting" : "reconnecting");
    }
  };
  const begin = () => {
    let isOver = false;
    const next = async () => {
      if (isShown()) await look();
      if (!isOver) timer = setTimeout(next, ASK_MS);
    };
    isFirst = true;
    tell("connecting");
    next();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  };
  let end = begin();
  addEventListener("pagehide", () => end());
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) end = begin();
  });
};

/** Steps of the chart, and how long each is by its scale, in milliseconds. */
const STEPS = 60;
export const SCALES = { seconds: 1_000, minutes: 60_000 };
export type Scale = keyof typeof SCALES;
/** Seconds that are remembered: as many as the wider scale shows. */
const MAX_SECONDS = (STEPS * SCALES.minutes) / SCALES.seconds;

const zeros = (): number[] => Array.from({ length: STEPS }, () => 0);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** How often each name happened, and arrived, in the last hour. */
export const createCounts = () => {
  /** By second and name. */
  const counts = new Map<number, Map<string, { happened: number; arrived: number }>>();
  let newest = 0;
  const add = (lane: "happened" | "arrived", time: number, name: string) => {
    const second = Math.floor(time / SCALES.seconds);
    const names = counts.get(second) ?? new Map();
    const both = names.get(name) ?? { happened: 0, arrived: 0 };
    both[lane] += 1;
    counts.set(second, names.set(name, both));
  };
  return {
    add({ received_at, occurred_at, event_uid }: Pick<Arrival, "received_at" | "occurred_at" | "event_uid">): void {
      newest = Math.max(newest, received_at);
      add("arrived", received_at, event_uid);
      if (occurred_at !== null) add("happened", occurred_at, event_uid);
      // So that a page that stays open for days does not grow.
      if (counts.size > 2 * MAX_SECONDS)
        for (const second of counts.keys()) if (second < newest / SCALES.seconds - MAX_SECONDS) counts.delete(second);
    },
    /**
     * The starts of the steps up to now, and the series of both lanes. Each of the names that came most has a colour and a series; a thousand names
     * would be a legend of a thousand lines.
     */
    series(scale: Scale) {
      const step = SCALES[scale];
      // The service's clock may be a little ahead of this one.
      const first = Math.floor(Math.max(Date.now(), newest) / step) - STEPS + 1;
      const found = new Map<string, { happened: number[]; arrived: number[] }>();
      for (const [second, names] of counts)
        for (const [name, { happened, arrived }] of names) {
          const at = Math.floor((second * SCALES.seconds) / step) - first;
          if (at < 0 || at >= STEPS) continue;
          const lanes = found.get(name) ?? { happened: zeros(), arrived: zeros() };
          lanes.happened[at]! += happened;
          lanes.arrived[at]! += arrived;
          found.set(name, lanes);
        }
      const totalOf = (name: string) => sum(found.get(name)!.arrived) + sum(found.get(name)!.happened);
      const most = [...found.keys()].sort((a, b) => totalOf(b) - totalOf(a) || (a < b ? -1 : 1));
      const [own, rest] = [most.slice(0, COLOURS).sort(), most.slice(COLOURS)];
      giveColours(own);
      const groups = own.map((name) => ({ label: name, colour: colourOf(name), names: [name] }));
      if (rest.length > 0) groups.push({ label: `${rest.length} more`, colour: OTHER_COLOUR, names: rest });
      const ofLane = (lane: "happened" | "arrived") =>
        groups.map(({ names, ...group }) => {
          const counts = zeros().map((_, at) => sum(names.map((name) => found.get(name)![lane][at]!)));
          return { ...group, counts, total: sum(counts) };
        });
      const starts = zeros().map((_, at) => (first + at) * step);
      return { starts, happened: ofLane("happened"), arrived: ofLane("arrived") };
    },
  };
};
