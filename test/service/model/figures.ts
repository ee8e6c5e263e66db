/* Every figure, counted anew from what was sent. */
import { DAY, type Event, isCounted, present, type Workspace } from "./state.js";

const HOUR = 3_600_000;

/** A day as `2026-01-31`, and so many days later. */
const dayLater = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
const formats = new Map<string, Intl.DateTimeFormat>();
/** Of a zone, whose making takes long. */
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  return format;
};
export const dayOf = (time: number, zone: string): string => formatOf(zone).format(time).slice(0, 10);

/** The hours in which the clocks of a zone are set, of the last days. */
export const changesOf = (zone: string, within: number): number[] => {
  const offset = (time: number) => Date.parse(`${formatOf(zone).format(time).replace(" ", "T")}Z`) - time;
  const now = Date.now() - (Date.now() % HOUR);
  const days = Array.from({ length: within }, (_, at) => now - at * DAY).filter(
    (time) => offset(time) !== offset(time - DAY),
  );
  return days.flatMap((time) =>
    Array.from({ length: 24 }, (_, at) => time - at * HOUR).filter((hour) => offset(hour) !== offset(hour - HOUR)),
  );
};

const starts = new Map<string, number>();
/** The first moment of a day, found by asking which day each moment has: not all days have a midnight. */
const startOf = (day: string, zone: string): number => {
  const known = starts.get(day + zone);
  if (known !== undefined) return known;
  let [low, high] = [Date.parse(`${day}T00:00:00Z`) - 16 * HOUR, Date.parse(`${day}T00:00:00Z`) + 16 * HOUR];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (dayOf(middle, zone) < day) low = middle;
    else high = middle;
  }
  starts.set(day + zone, high);
  return high;
};

export interface Steps {
  steps: number[];
  before: number[];
}

const days = (first: string, count: number, zone: string): number[] =>
  Array.from({ length: count + 1 }, (_, at) => startOf(dayLater(first, at), zone));

const QUARTER = 900_000;

/** What stands against steps that are not over: as much of those before, until the same quarter of an hour of the clock. */
const sameStretch = ({ steps, before }: Steps, now: number, earlier: (time: number) => number): Steps => {
  if (now >= steps.at(-1)!) return { steps, before };
  const until = earlier(now - (now % QUARTER));
  return { steps, before: before.map((time) => Math.min(time, until)) };
};

/** The first moment of a day, so many days earlier, that shows the same time; where clocks are set forward over it, as if they were not. */
const sameTime = (time: number, count: number, zone: string): number => {
  const clock = (at: number) => formatOf(zone).format(at).slice(11);
  const start = startOf(dayLater(dayOf(time, zone), -count), zone);
  const quarters = Array.from({ length: 26 * 4 }, (_, at) => start + at * QUARTER);
  const sinceMidnight = Date.parse(`1970-01-01T${clock(time)}Z`) - Date.parse(`1970-01-01T${clock(start)}Z`);
  return quarters.find((at) => clock(at) === clock(time)) ?? start + sinceMidnight;
};

/** The steps of a span up to now, and those before. */
export const stepsOf = (span: string, zone: string, now: number): Steps => {
  if (span === "24h") {
    const end = now - (now % HOUR) + HOUR;
    const steps = Array.from({ length: 25 }, (_, at) => end - (24 - at) * HOUR);
    return sameStretch({ steps, before: steps.map((time) => time - DAY) }, now, (time) => time - DAY);
  }
  const count = Number.parseInt(span, 10);
  const first = dayLater(dayOf(now, zone), 1 - count);
  const all = { steps: days(first, count, zone), before: days(dayLater(first, -count), count, zone) };
  return sameStretch(all, now, (time) => sameTime(time, count, zone));
};

/** Those of some days of a calendar: of one alone they are hours. */
export const stepsFrom = (first: string, count: number, zone: string): Steps => {
  const of = (day: string): number[] => {
    if (count > 1) return days(day, count, zone);
    const [start, end] = [startOf(day, zone), startOf(dayLater(day, 1), zone)];
    return [...Array.from({ length: Math.ceil((end - start) / HOUR) }, (_, at) => start + at * HOUR), end];
  };
  const all = { steps: of(first), before: of(dayLater(first, -count)) };
  return sameStretch(all, Date.now(), (time) => sameTime(time, count, zone));
};

/** The time by which an event counts. */
export const timeOf = ({ received }: Event): number => received.from;

const stepOf = (steps: readonly number[], time: number): number => steps.findLastIndex((start) => time >= start);
const isWithin = (steps: readonly number[], event: Event): boolean =>
  timeOf(event) >= steps[0]! && timeOf(event) < steps.at(-1)!;

export const pageOf = ({ name, url }: Event): { host: string; path: string } | undefined => {
  if (name !== "pageview" || url === undefined) return undefined;
  if (!URL.canParse(url)) return { host: "", path: url };
  const parts = new URL(url);
  return { host: parts.host, path: parts.pathname + (parts.hash.startsWith("#/") ? parts.hash : "") };
};
export const referrerOf = (event: Event): string | undefined => {
  if (event.name !== "pageview" || event.referrer === undefined) return undefined;
  const { host } = new URL(URL.canParse(event.referrer) ? event.referrer : `https://${event.referrer}`);
  return host === "" || host === pageOf(event)?.host ? undefined : host;
};

type Key = (event: Event) => string | undefined;

const counted = (events: readonly Event[], key: Key): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const event of events) {
    const of = key(event);
    if (of !== undefined) counts.set(of, (counts.get(of) ?? 0) + 1);
  }
  return counts;
};
const different = (events: readonly Event[], key: Key): number => counted(events, key).size;

const contactOf = ({ contact }: Event): string => contact;
const accountOf: Key = ({ account }) => account;

/** What is told of events: `GET /v2/numbers` without its times. */
export const numbersOf = (events: readonly Event[], { steps, before }: Steps) => {
  const [now, past] = [events.filter((one) => isWithin(steps, one)), events.filter((one) => isWithin(before, one))];
  const series = (some: readonly Event[]): number[] => {
    const counts = steps.slice(1).map(() => 0);
    for (const event of some) counts[stepOf(steps, timeOf(event))]! += 1;
    return counts;
  };
  const names = [...counted(now, ({ name }) => name)].sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1));
  const shown = names.slice(0, 8).map(([name]) => name);
  const rest = now.filter(({ name }) => !shown.includes(name));
  const keys = (key: Key) => {
    const [counts, former] = [counted(now, key), counted(past, key)];
    const sum = (all: Map<string, number>) => [...all.values()].reduce((total, one) => total + one, 0);
    const data = [...counts].map(([of, events]) => `${of} ${events} ${former.get(of) ?? 0}`).sort();
    return { total: sum(counts), before: sum(former), data };
  };
  const active = (key: Key) => ({
    ...{ total: different(now, key), before: different(past, key) },
    counts: steps.slice(1).map((_, at) =>
      different(
        now.filter((one) => stepOf(steps, timeOf(one)) === at),
        key,
      ),
    ),
  });
  const [most, least] = [counted(now, accountOf), counted(past, accountOf)];
  const fell = [...least].filter(([of, events]) => (most.get(of) ?? 0) < events);
  return {
    events: {
      ...{ total: now.length, before: past.length },
      data: shown.map((name) => `${name} ${series(now.filter((one) => one.name === name))}`),
      others: `${rest.length} ${series(rest)}`,
    },
    pages: keys((event) => pageOf(event)?.path),
    referrers: keys(referrerOf),
    busiest: keys(accountOf),
    fell: fell.map(([of, events]) => `${of} ${most.get(of) ?? 0} ${events}`).sort(),
    ...{ contacts: active(contactOf), accounts: active(accountOf) },
  };
};

interface Keyed {
  key: string;
  events: number;
  before: number;
}
const line = ({ key, events, before }: Keyed): string => `${key} ${events} ${before}`;

/** The same of what was answered. */
// biome-ignore lint/suspicious/noExplicitAny: the form of each answer was looked at
export const toldNumbers = ({ events, pages, referrers, busiest, fell, contacts, accounts }: any) => {
  const keys = ({ total, before, data }: { total: number; before: number; data: Keyed[] }) => ({
    ...{ total, before },
    data: data.map(line).sort(),
  });
  const active = ({ approximate: _, ...told }: { approximate: boolean }) => told;
  return {
    events: {
      ...{ total: events.total, before: events.before },
      data: events.data.map((one: { event_uid: string; counts: number[] }) => `${one.event_uid} ${one.counts}`),
      others: `${events.others.events} ${events.others.counts}`,
    },
    ...{ pages: keys(pages), referrers: keys(referrers), busiest: keys(busiest), fell: fell.map(line).sort() },
    ...{ contacts: active(contacts), accounts: active(accounts) },
  };
};

/** The accounts of a time: `GET /v2/numbers/accounts` with all of them. */
export const accountsOf = (workspace: Workspace, { steps, before }: Steps) => {
  const events = present(workspace).filter((event) => isCounted(workspace, event));
  const all = new Set(
    events.filter((one) => isWithin(steps, one) || isWithin(before, one)).flatMap((one) => one.account ?? []),
  );
  const active = new Set(events.filter((one) => isWithin(steps, one)).map(({ contact }) => contact));
  const lines = [...all].map((account) => {
    const own = events.filter((one) => one.account === account);
    const [now, past] = [own.filter((one) => isWithin(steps, one)), own.filter((one) => isWithin(before, one))];
    const members = [...workspace.people].filter(([, { accounts }]) => accounts.has(account)).map(([uid]) => uid);
    const counts = (at: readonly number[], some: readonly Event[]) =>
      at.slice(1).map((_, step) => some.filter((one) => stepOf(at, timeOf(one)) === step).length);
    const active_contacts = members.filter((uid) => active.has(uid)).length;
    const line = [
      account,
      now.length,
      past.length,
      members.length,
      active_contacts,
      counts(steps, now),
      counts(before, past),
    ];
    return { events: now.length, before: past.length, line: line.join(" ") };
  });
  const isActive = ({ events }: { events: number }) => events > 0;
  return {
    active: lines.filter(isActive).length,
    falling: lines.filter((one) => isActive(one) && one.events <= one.before * 0.75).length,
    silent: lines.filter((one) => !isActive(one)).length,
    data: lines.filter(isActive).map(({ line }) => line),
  };
};

const mondayOf = (time: number): number => time - ((time - 4 * DAY) % (7 * DAY));

/** Who came back: `GET /v2/numbers/returning`. */
export const returningOf = (workspace: Workspace, of: "account" | "contact", now: number) => {
  const weeks = new Map<string, Set<number>>();
  for (const event of present(workspace).filter((one) => isCounted(workspace, one))) {
    const uid = of === "account" ? event.account : contactOf(event);
    if (uid !== undefined) weeks.set(uid, (weeks.get(uid) ?? new Set()).add(mondayOf(timeOf(event))));
  }
  return Array.from({ length: 12 }, (_, at) => {
    const week = mondayOf(now) - (11 - at) * 7 * DAY;
    const began = [...weeks.values()].filter((all) => Math.min(...all) === week);
    const later = Array.from({ length: Math.min(8, 11 - at) }, (_, one) => week + (one + 1) * 7 * DAY);
    const active = later.map((time) => began.filter((all) => all.has(time)).length);
    return { week: new Date(week).toISOString().slice(0, 10), began: began.length, active };
  });
};
