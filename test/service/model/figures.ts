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

/** When an event happened, where that is believed; else when it was received. */
export const timeOf = ({ occurred, received: { from } }: Event): number =>
  occurred !== undefined && occurred <= from && occurred >= from - 30 * DAY ? occurred : from;

/** Noon of the day of a time: the moment that shows it. */
export const noonOf = (time: number, zone: string): number => {
  const day = dayOf(time, zone);
  const quarters = Array.from({ length: 130 }, (_, at) => Date.parse(`${day}T12:00:00Z`) + ((at - 65) * HOUR) / 4);
  return quarters.find((one) => formatOf(zone).format(one) === `${day} 12:00:00`)!;
};

const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY;
const textOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);
/** The hour of the clock at a time, by its number: 24 of each day, whether it has them or not. */
const hourOf = (time: number, zone: string): number => {
  const text = formatOf(zone).format(time);
  return numberOf(text.slice(0, 10)) * 24 + Number(text.slice(11, 13));
};

/** A time that is asked for, in steps, and the time before it. */
export interface When {
  length: number;
  zone: string;
  /** The first day of the time before. */
  from: string;
  /** The step of an event; nothing where it has none. */
  stepOf(event: Event): number | undefined;
  stepBefore(event: Event): number | undefined;
}

/** Steps of so many hours of the clock, from one to another; and the hours before. */
const hours = (zone: string, size: number, [first, end]: [number, number], before: [number, number]): When => {
  const within = (from: number, end: number) => (event: Event) => {
    const at = hourOf(timeOf(event), zone);
    return at >= from && at < end ? Math.floor((at - from) / size) : undefined;
  };
  return {
    length: (end - first) / size,
    zone,
    from: textOf(Math.floor(before[0] / 24)),
    stepOf: within(first, end),
    stepBefore: within(...before),
  };
};

/** Some days of a calendar up to today, one of the last days by its hours; what is not over stands against as much of the days before. */
export const daysFrom = (from: string, asked: number, zone: string, now: number): When => {
  const [first, hour] = [numberOf(from) * 24, hourOf(now, zone)];
  const today = hour - (hour % 24);
  const days = first > today ? asked : Math.min(asked, (today - first) / 24 + 1);
  const isNow = first <= today && first + 24 * days > today;
  const size = days > 1 || first <= today - 8 * 24 || first > today ? 24 : 1;
  const before = first - 24 * days;
  return hours(zone, size, [first, first + 24 * days], [before, isNow ? before + hour - first + 1 : first]);
};

/** A span up to now: a day goes by its hours, a week ends with today, what is longer with yesterday. */
export const spanOf = (span: string, zone: string, now: number): When => {
  const hour = hourOf(now, zone);
  if (span === "24h") return hours(zone, 1, [hour - 23, hour + 1], [hour - 47, hour - 23]);
  const days = Number.parseInt(span, 10);
  return daysFrom(textOf(Math.floor(hour / 24) - days + (days > 8 ? 0 : 1)), days, zone, now);
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

/** Those of a time, and those of the time before. */
const splitBy = (events: readonly Event[], { stepOf, stepBefore }: When): [Event[], Event[]] => [
  events.filter((one) => stepOf(one) !== undefined),
  events.filter((one) => stepBefore(one) !== undefined),
];

/** What is told of events: `GET /v2/numbers` without its times. Lists are by key. */
export const numbersOf = (events: readonly Event[], when: When) => {
  const { length, stepOf } = when;
  const [now, past] = splitBy(events, when);
  const perStep = <T>(some: readonly Event[], of: (events: Event[]) => T): T[] =>
    Array.from({ length }, (_, at) => of(some.filter((one) => stepOf(one) === at)));
  const series = (some: readonly Event[]) => perStep(some, (events) => events.length);
  const counts = counted(now, ({ name }) => name);
  const all = new Set([...counts.keys(), ...past.map(({ name }) => name)]);
  const names = [...all]
    .map((name) => [name, counts.get(name) ?? 0] as const)
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1));
  const shown = names.slice(0, 8).flatMap(([name, events]) => (events > 0 ? [name] : []));
  const keys = (key: Key) => {
    const [counts, former] = [counted(now, key), counted(past, key)];
    const sum = (all: Map<string, number>) => [...all.values()].reduce((total, one) => total + one, 0);
    const data = [...counts].map(([of, events]) => [of, events, former.get(of) ?? 0]);
    return { total: sum(counts), before: sum(former), data: data.sort() };
  };
  const active = (key: Key) => ({
    total: different(now, key),
    before: different(past, key),
    counts: perStep(now, (events) => different(events, key)),
  });
  const [most, least] = [counted(now, accountOf), counted(past, accountOf)];
  const fell = [...least].filter(([of, events]) => (most.get(of) ?? 0) < events);
  // Where there is nothing to compare with nobody rises.
  const rose = least.size === 0 ? [] : [...most].filter(([of, events]) => (least.get(of) ?? 0) < events);
  return {
    events: {
      total: now.length,
      before: past.length,
      more: names.slice(shown.length),
      data: shown.map((name) => [name, series(now.filter((one) => one.name === name))]),
      others: series(now.filter(({ name }) => !shown.includes(name))),
    },
    pages: keys((event) => pageOf(event)?.path),
    referrers: keys(referrerOf),
    busiest: keys(accountOf),
    fell: fell.map(([of, events]) => [of, most.get(of) ?? 0, events]).sort(),
    rose: rose.map(([of, events]) => [of, events, least.get(of) ?? 0]).sort(),
    contacts: active(contactOf),
    accounts: active(accountOf),
  };
};

// biome-ignore-start lint/suspicious/noExplicitAny: the form of each answer was looked at
/** The same of what was answered. */
export const toldNumbers = ({ events, pages, referrers, busiest, fell, rose, contacts, accounts }: any) => {
  const lines = (data: any[]) => data.map(({ key, events, before }) => [key, events, before]).sort();
  const keys = ({ total, before, data }: any) => ({ total, before, data: lines(data) });
  const active = ({ approximate: _, ...told }: any) => told;
  return {
    events: {
      total: events.total,
      before: events.before,
      more: events.more.flatMap((one: any) => (one.events + one.before > 0 ? [[one.event_uid, one.events]] : [])),
      data: events.data.map(({ event_uid, counts }: any) => [event_uid, counts]),
      others: events.others.counts,
    },
    pages: keys(pages),
    referrers: keys(referrers),
    busiest: keys(busiest),
    fell: lines(fell),
    rose: lines(rose),
    contacts: active(contacts),
    accounts: active(accounts),
  };
};

/** The names of an answer, as `namesOf` has them. */
export const toldNames = ({ data, more }: any, isOfAll: boolean) =>
  [...data, ...more]
    .map((one: any) => [one.event_uid, one.events, one.last_on, ...(isOfAll ? [one.contacts, one.accounts] : [])])
    .sort();

/** Was it seen in the last 90 days, and not in the last 14? */
const isSilent = (seen: string, zone: string): boolean => {
  const ago = numberOf(dayOf(Date.now(), zone)) - numberOf(seen);
  return ago >= 14 && ago < 90;
};

type Kind = "accounts" | "contacts";
type Line = [uid: string, now: number, past: number, ...unknown[]];
/** The accounts or contacts of a time, or those whose uid has some words: `GET /v2/numbers/accounts` with all of them. */
export const listOf = (workspace: Workspace, kind: Kind, when: When, search?: string) => {
  const key = kind === "accounts" ? accountOf : contactOf;
  const events = present(workspace).filter((event) => isCounted(workspace, event));
  const records = (kind === "accounts" ? workspace.accounts : workspace.people) as Map<string, unknown>;
  const lines = [...new Set([...records.keys(), ...counted(events, key).keys()])].map((uid) => {
    const own = events.filter((one) => key(one) === uid);
    const [now, past] = splitBy(own, when);
    const counts = (of: When["stepOf"], some: readonly Event[]) =>
      Array.from({ length: when.length }, (_, step) => some.filter((one) => of(one) === step).length);
    const members = [...workspace.people.values()].filter(({ accounts }) => accounts.has(uid)).length;
    const seen = own.length > 0 ? dayOf(Math.max(...own.map(timeOf)), when.zone) : null;
    const more =
      kind === "accounts"
        ? [members, different(now, contactOf), counts(when.stepOf, now), counts(when.stepBefore, past)]
        : [workspace.people.get(uid)?.accounts.size ?? 0];
    return [uid, now.length, past.length, seen, ...more] as Line;
  });
  const active = lines.filter(([, now]) => now > 0);
  const isFalling = ([, now, past]: Line) => past - now >= Math.max(2, past / 4);
  const isQuiet = ([, , , seen]: Line) => seen !== null && isSilent(String(seen), when.zone);
  return {
    active: active.length,
    falling: lines.filter(isFalling).length,
    silent: lines.filter(isQuiet).length,
    call: lines.filter((line) => isFalling(line) || isQuiet(line)).length,
    data:
      search === undefined
        ? active
        : lines.filter(([uid]) => records.has(uid) && search.split(" ").every((word) => uid.includes(word))),
  };
};
/** The same of what was answered. */
export const toldList = ({ active, falling, silent, call, data }: any) => ({
  active,
  falling,
  silent,
  call,
  data: data.map((one: any) => [
    one.unique_id,
    one.events,
    one.before,
    one.last_seen_on,
    ...(one.counts ? [one.contacts, one.active_contacts, one.counts, one.counts_before] : [one.accounts.length]),
  ]),
});
// biome-ignore-end lint/suspicious/noExplicitAny: the form of each answer was looked at

/** The names that there are, whenever they came: how many did each in a time, and its last day. */
export const namesOf = (events: readonly Event[], when: When) => {
  const now = events.filter((one) => when.stepOf(one) !== undefined);
  return [...counted(events, ({ name }) => name).keys()].sort().map((name) => {
    const [all, own] = [events, now].map((some) => some.filter((one) => one.name === name)) as [Event[], Event[]];
    const last = dayOf(Math.max(...all.map(timeOf)), when.zone);
    return [name, own.length, last, different(own, contactOf), different(own, accountOf)];
  });
};

/** Who did a name in a time or in the time before, with how often. */
export const doersOf = (events: readonly Event[], when: When, kind: Kind) => {
  const [now, past] = splitBy(events, when).map((some) => counted(some, kind === "accounts" ? accountOf : contactOf));
  const all = [...new Set([...now!.keys(), ...past!.keys()])];
  return all.map((uid): [string, number, number] => [uid, now!.get(uid) ?? 0, past!.get(uid) ?? 0]);
};

/** Who was active in a time and did not do a name, with all that they did; and when it was done last. */
export const withoutOf = (events: readonly Event[], when: When, { name, kind }: { name: string; kind: Kind }) => {
  const [now] = splitBy(events, when);
  const own = now.filter((one) => one.name === name);
  const key = kind === "accounts" ? accountOf : contactOf;
  const [all, doers] = [counted(now, key), counted(own, key)];
  const data = [...all].filter(([uid]) => !doers.has(uid));
  const last = own.length === 0 ? null : Math.max(...own.map(({ received: { from } }) => from));
  return { of: all.size, total: data.length, data, last };
};

/** Who takes these steps within so many days, by a walk from each start: `GET /v2/numbers/steps`. */
export const stepsOf = (
  events: readonly Event[],
  names: readonly string[],
  { begins, within }: { begins: (event: Event) => boolean; within: number },
) => {
  const walk = (own: readonly Event[], start: Event): number => {
    let last = start;
    const taken = names.slice(1).findIndex((name) => {
      const isNext = (one: Event) =>
        one.name === name && timeOf(one) >= timeOf(last) && timeOf(one) <= timeOf(start) + within * DAY;
      // No event is two steps: the next one of the same name stands behind it.
      const next = (name === last.name ? own.slice(own.indexOf(last) + 1) : own).find(isNext);
      last = next ?? last;
      return next === undefined;
    });
    return taken < 0 ? names.length : taken + 1;
  };
  const walked = [...counted(events, contactOf).keys()].flatMap((contact) => {
    const own = events.filter((one) => one.contact === contact).sort((a, b) => timeOf(a) - timeOf(b));
    const begun = own.filter((one) => one.name === names[0] && begins(one));
    const taken = Math.max(0, ...begun.map((start) => walk(own, start)));
    return [{ contact, taken, account: begun.flatMap(({ account }) => account ?? []).sort()[0] }];
  });
  return names.map((event_uid, at) => {
    const here = walked.filter(({ taken }) => taken > at);
    const accounts = new Set(here.flatMap(({ account }) => account ?? [])).size;
    const stopped = here.filter(({ taken }) => taken === at + 1).map(({ contact }) => [contact]);
    return { event_uid, contacts: here.length, accounts, stopped };
  });
};

/** Who came back: `GET /v2/numbers/returning`. Weeks begin on Monday, as 1970-01-05 was one. */
export const returningOf = (workspace: Workspace, of: "account" | "contact", now: number) => {
  const mondayOf = (time: number): number => {
    const day = Math.floor(hourOf(time, workspace.zone) / 24);
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
