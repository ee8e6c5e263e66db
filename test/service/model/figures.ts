/* Every figure, counted anew from what was sent. */
import { DAY, type Event, isCounted, present, type Workspace } from "./state.js";

const HOUR = 3_600_000;

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

const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY;
/** When an event happened, where that is believed; else when it was received. */
export const timeOf = ({ occurred, received: { from } }: Event): number =>
  occurred !== undefined && occurred <= from && occurred >= from - 30 * DAY ? occurred : from;

/** The day on which a time is, by its number, and its hour of the clock. */
const localOf = (time: number, zone: string): { day: number; hour: number } => {
  const text = formatOf(zone).format(time);
  return { day: numberOf(text.slice(0, 10)), hour: Number(text.slice(11, 13)) };
};
/** Noon of the day of a time: the moment that shows it. */
export const noonOf = (time: number, zone: string): number => {
  const day = dayOf(time, zone);
  const near = startOf(day, zone) + 12 * HOUR;
  const halves = [0, -2, 2, -1, 1].map((at) => near + (at * HOUR) / 2);
  return halves.find((one) => formatOf(zone).format(one) === `${day} 12:00:00`)!;
};

/** A time that is asked for, in steps, and the time before it. */
export interface When {
  /** How many steps there are, and when each begins where they are days. */
  length: number;
  starts?: number[];
  zone: string;
  /** The first day of the time before. */
  from: string;
  /** The step of an event; nothing where it has none. */
  stepOf(event: Event): number | undefined;
  stepBefore(event: Event): number | undefined;
}

const textOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);
/** Days, of which the last one of those before ends with an hour of the clock. */
const daysOf = (
  zone: string,
  first: number,
  length: number,
  before: { first: number; last: number; hour: number },
): When => ({
  ...{ length, zone, from: textOf(before.first) },
  starts: Array.from({ length: length + 1 }, (_, at) => startOf(textOf(first + at), zone)),
  stepOf: (event) => {
    const { day } = localOf(timeOf(event), zone);
    return day >= first && day < first + length ? day - first : undefined;
  },
  stepBefore: (event) => {
    const { day, hour } = localOf(timeOf(event), zone);
    const isIn = day >= before.first && (day < before.last || (day === before.last && hour <= before.hour));
    return isIn ? day - before.first : undefined;
  },
});
/** Hours of the clock, by their numbers. */
const hoursOf = (zone: string, first: number, before: { first: number; end: number }): When => {
  const within = (from: number, end: number) => (event: Event) => {
    const { day, hour } = localOf(timeOf(event), zone);
    const at = day * 24 + hour;
    return at >= from && at < end ? at - from : undefined;
  };
  const from = textOf(Math.floor(before.first / 24));
  return { length: 24, zone, from, stepOf: within(first, first + 24), stepBefore: within(before.first, before.end) };
};

/** A span up to now: a day goes by its hours, a week ends with today, what is longer with yesterday. */
export const spanOf = (span: string, zone: string, now: number): When => {
  const { day, hour } = localOf(now, zone);
  const end = day * 24 + hour + 1;
  if (span === "24h") return hoursOf(zone, end - 24, { first: end - 48, end: end - 24 });
  const length = Number.parseInt(span, 10);
  if (length > 8)
    return daysOf(zone, day - length, length, { first: day - 2 * length, last: day - length - 1, hour: 23 });
  return daysOf(zone, day - length + 1, length, { first: day - 2 * length + 1, last: day - length, hour });
};

/** Some days of a calendar. */
export const daysFrom = (from: string, length: number, zone: string, now: number): When => {
  const [first, { day, hour }] = [numberOf(from), localOf(now, zone)];
  const isNow = first <= day && first + length > day;
  const before = first - length;
  if (length > 1 || first <= day - 9 || first > day)
    return daysOf(
      zone,
      first,
      length,
      isNow ? { first: before, last: before + day - first, hour } : { first: before, last: first - 1, hour: 23 },
    );
  const end = isNow ? hour + 1 : 24;
  return hoursOf(zone, first * 24, { first: before * 24, end: before * 24 + end });
};

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
export const numbersOf = (events: readonly Event[], { length, stepOf, stepBefore }: When) => {
  const [now, past] = [stepOf, stepBefore].map((of) => events.filter((one) => of(one) !== undefined)) as [
    Event[],
    Event[],
  ];
  const series = (some: readonly Event[]): number[] => {
    const counts = Array.from({ length }, () => 0);
    for (const event of some) counts[stepOf(event)!]! += 1;
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
    counts: Array.from({ length }, (_, at) =>
      different(
        now.filter((one) => stepOf(one) === at),
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
export const accountsOf = (workspace: Workspace, { length, stepOf, stepBefore }: When) => {
  const events = present(workspace).filter((event) => isCounted(workspace, event));
  const all = new Set(
    events.filter((one) => (stepOf(one) ?? stepBefore(one)) !== undefined).flatMap((one) => one.account ?? []),
  );
  const lines = [...all].map((account) => {
    const own = events.filter((one) => one.account === account);
    const [now, past] = [stepOf, stepBefore].map((of) => own.filter((one) => of(one) !== undefined)) as [
      Event[],
      Event[],
    ];
    const members = [...workspace.people].filter(([, { accounts }]) => accounts.has(account)).map(([uid]) => uid);
    const counts = (of: When["stepOf"], some: readonly Event[]) =>
      Array.from({ length }, (_, step) => some.filter((one) => of(one) === step).length);
    const active_contacts = different(now, contactOf);
    const line = [
      account,
      now.length,
      past.length,
      members.length,
      active_contacts,
      counts(stepOf, now),
      counts(stepBefore, past),
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

/** Who came back: `GET /v2/numbers/returning`. Weeks begin on Monday, as 1970-01-05 was one. */
export const returningOf = (workspace: Workspace, of: "account" | "contact", now: number) => {
  const mondayOf = (time: number): number => {
    const { day } = localOf(time, workspace.zone);
    return day - ((day - 4) % 7);
  };
  const weeks = new Map<string, Set<number>>();
  for (const event of present(workspace).filter((one) => isCounted(workspace, one))) {
    const uid = of === "account" ? event.account : contactOf(event);
    if (uid !== undefined) weeks.set(uid, (weeks.get(uid) ?? new Set()).add(mondayOf(timeOf(event))));
  }
  return Array.from({ length: 12 }, (_, at) => {
    const week = mondayOf(now) - (11 - at) * 7;
    const began = [...weeks.values()].filter((all) => Math.min(...all) === week);
    const later = Array.from({ length: Math.min(8, 11 - at) }, (_, one) => week + (one + 1) * 7);
    const active = later.map((day) => began.filter((all) => all.has(day)).length);
    return { week: textOf(week), began: began.length, active };
  });
};
