/* Histories of a workspace, drawn; and what its tables must say, counted anew from the events with the same keys. */
import fc from "fast-check";
import { recordId } from "../../../src/service/base/exact-text.js";
import { viewOf } from "../../../src/service/base/params.js";
import type { Database } from "../../../src/service/database/database.js";
import { idAt, timeOf } from "../../../src/service/database/event-id.js";
import { countNext, type Size } from "../../../src/service/days/add-events.js";
import { countAnew } from "../../../src/service/days/count-anew.js";
import { type Held, hold, hoursFrom, isCounted, markDays, setZone } from "../../../src/service/days/counted-place.js";
import { leaveOut, moveOn } from "../../../src/service/days/leave-out.js";
import { deleteEvents } from "../../../src/service/deletion/delete-chosen.js";
import { eraseContacts } from "../../../src/service/deletion/erasure.js";
import { deleteEventsBefore } from "../../../src/service/deletion/retention.js";
import { makeRecords } from "../../../src/service/ingest/store/bare-records.js";
import { insertEvents, type NewEvent } from "../../../src/service/ingest/store/insert-rows.js";

const [HOUR, DAY] = [3_600_000, 86_400_000];
/** So few that they are reached. */
export const BOUNDS = { taken: 5, kept: 4, names: 2, put: 2 };
export const ZONES = [
  ...["America/Santiago", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Kiritimati", "Africa/Casablanca"],
  "America/New_York",
];

/** Where a history is. */
export interface Scene {
  database: Database;
  workspace: string;
  /** What the clock of the service shows. */
  now: number;
}
export interface Step {
  run(scene: Scene): Promise<unknown>;
  toString(): string;
}

const NIL = "00000000-0000-0000-0000-000000000000";
const pick = <T>(all: readonly T[], at: number): T => all[at % all.length]!;
const URLS = ["/", "/a", "/b?x=1", "/c", "/d", "/e", "/f", "/app#/g"];
const OCCURS = [undefined, 0, -5, -61, -300, -1_500, -7 * 1_440, -29 * 1_440, -31 * 1_440, 60];

const eventOf = (workspace: string, at: number, [who, what, when]: readonly [number, number, number]): NewEvent => {
  const accountUid = who % 4 === 0 ? undefined : `acme-${who % 2}`;
  const eventUid = what % 2 === 0 ? "pageview" : `event-${what % 9}`;
  const visit_url = what % 7 === 6 ? "/only/path" : `https://${pick(["a", "b"], what)}.example${pick(URLS, what)}`;
  const params = { ...(accountUid && { account_uid: accountUid }), ...(what % 2 === 0 && { visit_url }) };
  const occurs = pick(OCCURS, when);
  return {
    ...{ workspace, contactUid: `contact-${who % 3}`, accountUid, eventUid, params: JSON.stringify(params) },
    ...viewOf(eventUid, { ...params, referrer: pick([undefined, "https://c.example/", "https://d.example"], who) }),
    ...{ stamp: undefined, receivedAt: at, occurredAt: occurs === undefined ? undefined : at + occurs * 60_000 },
  };
};

let sequence = 0;
/** Ids of a moment, each larger than the last. */
const idsAt = (time: number, amount: number): string[] =>
  Array.from({ length: amount }, () => idAt(time).replace(/.{12}$/, (sequence++).toString(16).padStart(12, "0")));

const store = async (scene: Scene, events: NewEvent[]): Promise<void> => {
  // Behind what is settled.
  scene.now += 2;
  const { database, now } = scene;
  for (const { text, values } of makeRecords(events)) await database.query(text, values);
  await database.write(insertEvents(idsAt(now, events.length), events));
};

/** Events of these names come, of one contact. */
export const storeAt = (scene: Scene, names: readonly string[]): Promise<void> =>
  store(
    scene,
    names.map((eventUid) => ({
      ...{ workspace: scene.workspace, contactUid: "contact-0", accountUid: "acme", eventUid, params: "{}" },
      ...{ stamp: undefined, receivedAt: scene.now, occurredAt: undefined },
    })),
  );

const number = fc.nat(999);
const draws = fc.array(fc.tuple(number, number, number), { minLength: 1, maxLength: 12 });
const rows = fc.constantFrom(1, 2, 3, 7, 50);
const times = fc.integer({ min: 1, max: 6 });
const contact = fc.nat(2).map((at) => `contact-${at}`);

/** Each kind of step, by what it draws. */
const KINDS = {
  /** Some come, a moment or a day and a half later. */
  events: [
    fc.tuple(draws, fc.constantFrom(0, 0, 0, 1, 6, 24, 36)),
    async (scene: Scene, [all, hours]: [[number, number, number][], number]) => {
      scene.now += hours * HOUR;
      await store(
        scene,
        all.map((draw) => eventOf(scene.workspace, scene.now, draw)),
      );
    },
  ],
  /** With the times of their receipt, some of them of long ago. */
  past: [
    draws,
    (scene: Scene, all: [number, number, number][]) =>
      store(
        scene,
        all.map((draw) => ({
          ...eventOf(scene.workspace, scene.now - pick([0, 1, 30, 45], draw[0]) * DAY - draw[1] * 60_000, draw),
          originId: crypto.randomUUID(),
        })),
      ),
  ],
  follow: [
    fc.tuple(rows, times),
    async ({ database, workspace, now }: Scene, [rows, turns]: [number, number]) => {
      for (let at = 0; at < turns; at += 1)
        await countNext(database, workspace, idAt(now + 1), { rows, bounds: BOUNDS });
    },
  ],
  anew: [
    fc.tuple(rows, times),
    async ({ database, workspace }: Scene, [rows, turns]: [number, number]) => {
      for (let at = 0; at < turns * 4; at += 1) await countAnew(database, workspace, { rows, bounds: BOUNDS });
    },
  ],
  mark: [
    fc.nat(40),
    ({ database, workspace, now }: Scene, days: number) =>
      database.transaction(async (query) => {
        const held = await hold(query, workspace);
        const day = new Date(now - days * DAY).toISOString().slice(0, 10);
        if (held.id !== null) await markDays(query, held, [day]);
      }),
  ],
  erase: [
    contact,
    ({ database, workspace }: Scene, uid: string) => eraseContacts(database, { workspace, uids: [uid], token: "test" }),
  ],
  anonymise: [
    contact,
    ({ database, workspace }: Scene, uid: string) =>
      eraseContacts(database, { workspace, uids: [uid], token: "test", anonymise: ["account_uid", "visit_url"] }),
  ],
  delete: [
    fc.constantFrom("pageview", "event-1", "event-3", "event-5", "event-7"),
    ({ database, workspace }: Scene, name: string) => deleteEvents(database, workspace, { name }),
  ],
  deleteSpan: [
    fc.tuple(fc.constantFrom(0, 0, 1, 2, 30), fc.nat(48)),
    ({ database, workspace, now }: Scene, [days, hours]: [number, number]) =>
      deleteEvents(database, workspace, { since: now - days * DAY, until: now - days * DAY + hours * HOUR }),
  ],
  leaveOut: [
    fc.tuple(fc.boolean(), fc.nat(2), fc.boolean()),
    ({ database, workspace }: Scene, [isAccount, at, isLeftOut]: [boolean, number, boolean]) => {
      const kind = isAccount ? "account" : "contact";
      const id = recordId(kind, isAccount ? `acme-${at}` : `contact-${at}`, workspace);
      return leaveOut(database, { workspace, kind, id }, isLeftOut).catch((error) => {
        if (error.statusCode !== 404) throw error;
      });
    },
  ],
  moveOn: [
    fc.tuple(rows, times),
    async ({ database, workspace }: Scene, [rows, turns]: [number, number]) => {
      for (let at = 0; at < turns; at += 1) await moveOn(database, workspace, { rows, bounds: BOUNDS });
    },
  ],
  zone: [
    fc.constantFrom(...ZONES),
    ({ database, workspace }: Scene, zone: string) => setZone(database, workspace, zone),
  ],
  retention: [
    fc.integer({ min: 20, max: 60 }),
    ({ database, workspace, now }: Scene, days: number) => deleteEventsBefore(database, workspace, now - days * DAY),
  ],
  /** What has come is counted in part when some of it is deleted. */
  half: [
    fc.tuple(draws, fc.constantFrom(1, 3, 6), fc.constantFrom("pageview", "event-1", "event-3")),
    async (scene: Scene, [all, rows, name]: [[number, number, number][], number, string]) => {
      const { database, workspace } = scene;
      await store(
        scene,
        all.map((draw) => eventOf(workspace, scene.now, draw)),
      );
      await countNext(database, workspace, idAt(scene.now + 1), { rows, bounds: BOUNDS });
      await deleteEvents(database, workspace, { name });
    },
  ],
  /** At once, as of several processes. */
  together: [
    fc.tuple(rows, contact),
    ({ database, workspace, now }: Scene, [rows, uid]: [number, string]) =>
      Promise.all([
        ...[1, 2].map(() => countNext(database, workspace, idAt(now + 1), { rows, bounds: BOUNDS })),
        ...[1, 2].map(() => countAnew(database, workspace, { rows, bounds: BOUNDS })),
        eraseContacts(database, { workspace, uids: [uid], token: "test" }),
        deleteEvents(database, workspace, { name: "pageview" }),
      ]),
  ],
  look: [fc.constant(0), (scene: Scene) => expectSame(scene)],
} as const;

const stepOf = (name: keyof typeof KINDS): fc.Arbitrary<Step> => {
  const [drawn, run] = KINDS[name] as readonly [fc.Arbitrary<unknown>, (scene: Scene, draw: never) => Promise<unknown>];
  return drawn.map((draw) => ({
    run: (scene) => run(scene, draw as never),
    toString: () => `${name}(${JSON.stringify(draw)})`,
  }));
};

/** Some kinds at a time, so that rare pairs are common in some; what comes and is followed is always among them. */
export const HISTORY = fc.record({
  zone: fc.constantFrom(...ZONES),
  /** Was it counted before anything came? Else all that is there then is counted anew. */
  isBegun: fc.constantFrom(true, true, true, false),
  /** Days before a change of the clocks. */
  before: fc.nat(20),
  steps: fc.subarray(Object.keys(KINDS) as (keyof typeof KINDS)[], { minLength: 2, maxLength: 7 }).chain((some) =>
    fc.array(fc.oneof(...[...new Set([...some, "events", "events", "follow", "look"] as const)].map(stepOf)), {
      minLength: 4,
      maxLength: 30,
      size: "max",
    }),
  ),
});

/** Follows to the end. */
export const settle = async (scene: Scene, size: Required<Size> = { rows: 40, bounds: BOUNDS }): Promise<void> => {
  const { database, workspace } = scene;
  // What is made by the service itself has ids of now.
  const newest = await database.query<{ id: string }>(
    "SELECT id FROM events WHERE workspace = $1 ORDER BY id DESC LIMIT 1",
    [workspace],
  );
  const end = idAt(Math.max(scene.now, ...newest.map(({ id }) => timeOf(id))) + 1);
  for (let more = true; more; ) {
    more = false;
    while (await countNext(database, workspace, end, size)) more = true;
    for (const work of [moveOn, countAnew]) while (await work(database, workspace, size)) more = true;
  }
};

const formats = new Map<string, Intl.DateTimeFormat>();
const localOf = (time: number, timeZone: string): string => {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  return format.format(time);
};

type Counts = Map<string, number>;
const COUNTS = ["active", "hours", "days", "byHour", "account_names", "contact_names"] as const;
const newCounts = () =>
  Object.fromEntries(COUNTS.map((name) => [name, new Map()])) as Record<(typeof COUNTS)[number], Counts>;
const count = (counts: Counts, ...key: string[]): unknown =>
  counts.set(key.join(" "), (counts.get(key.join(" ")) ?? 0) + 1);

/** What the events before the place say, by day, and in which place of an array; of names and the like with all of their keys. */
const countRaw = (rows: Record<string, unknown>[], held: Held) => {
  const counts = newCounts();
  for (const row of rows) {
    const [received, occurred] = [
      Number(row.received_at),
      row.occurred_at === null ? undefined : Number(row.occurred_at),
    ];
    const isBelieved = occurred !== undefined && occurred <= received && occurred >= received - 30 * DAY;
    const local = localOf(isBelieved ? occurred : received, held.zone);
    const [day, hour] = [local.slice(0, 10), String(Number(local.slice(11, 13)))];
    const [contact, account] = [
      String(row.contact_id),
      row.account_uid === null ? NIL : recordId("account", String(row.account_uid), held.workspace),
    ];
    if (String(row.id) >= held.id! || !isCounted({ contact, account, id: row.id } as never, held)) continue;
    count(counts.active, day, contact, account);
    count(counts.hours, day, contact, account, hour);
    count(counts.contact_names, day, contact, String(row.event_uid));
    if (account !== NIL) count(counts.account_names, day, account, String(row.event_uid));
    const page = row.page as string | null;
    const [host, path] = page === null ? [] : [page.slice(0, page.indexOf("/")), page.slice(page.indexOf("/"))];
    for (const [kind, key] of Object.entries({ name: row.event_uid, path, host, referrer: row.referrer_host }))
      if (key) {
        count(counts.days, day, kind, String(key));
        count(counts.byHour, day, kind, String(key), hour);
      }
  }
  return counts;
};

/** The keys of a table are kept; all others are the rest, which has none. */
const withRest = (counts: Counts, isKept: (parts: string[]) => boolean): Counts => {
  const kept: Counts = new Map();
  for (const [key, events] of counts) {
    const parts = key.split(" ");
    if (!isKept(parts)) parts[2] = "";
    kept.set(parts.join(" "), (kept.get(parts.join(" ")) ?? 0) + events);
  }
  return kept;
};

/** A row of one of the tables, as JSON. */
type Row = Record<"month" | "day" | "contact" | "account" | "name" | "kind" | "key" | "days", string> & {
  events: number[];
  hours: number[] | null;
};

/** @throws Error where the tables say of a day that stands something else than its events */
export const expectSame = async ({ database, workspace }: Scene): Promise<void> => {
  const { held, raw, tables, stale } = await database.transaction(async (query) => {
    const held = await hold(query, workspace);
    const of = (table: string) =>
      query(`SELECT to_json(one) AS row FROM ${table} AS one WHERE workspace = $1`, [workspace]);
    const tables: Record<string, Row[]> = {};
    for (const table of ["active", "hours", "days", "account_names", "contact_names"])
      tables[table] = (await of(table)).map(({ row }) => row as Row);
    const stale = (await of("days_stale")).map(({ row }) => (row as { day: string }).day);
    return { held, raw: await query("SELECT * FROM events WHERE workspace = $1", [workspace]), tables, stale };
  });
  if (held.id === null) return;
  const wanted = countRaw(raw, held);
  const told = newCounts();
  const put = (counts: Counts, events: number, ...key: unknown[]) => {
    if (events < 0) throw new Error(`${key.join(" ")} is ${events}`);
    if (events > 0) counts.set(key.join(" "), events);
  };
  /** Each place of an array of running sums. */
  const each = (sums: number[], of: (events: number, at: number) => void) => {
    for (const [at, sum] of sums.entries()) of(sum - (sums[at - 1] ?? 0), at);
  };
  const dayAt = (month: string, at: number) => `${month.slice(0, 8)}${String(at + 1).padStart(2, "0")}`;
  const byMonth = [tables.active!, tables.account_names!, tables.contact_names!].flat();
  for (const { month, contact, account, name, days, events } of byMonth) {
    const bits: number[] = [];
    each(events, (one) => bits.push(one > 0 ? 1 : 0));
    if (bits.join("") !== days || !/1/.test(days))
      throw new Error(`the bits of ${month} ${contact ?? account} ${name} are ${days}, its events ${events}`);
  }
  for (const { month, contact, account, events } of tables.active!)
    each(events, (one, at) => put(told.active, one, dayAt(month, at), contact, account));
  for (const { day, contact, account, events } of tables.hours!)
    each(events, (one, at) => put(told.hours, one, day, contact, account, at));
  for (const table of ["account_names", "contact_names"] as const) {
    const names = new Set<string>();
    for (const { month, contact, account: who = contact, name, events } of tables[table]!) {
      names.add(`${String(month).slice(0, 7)} ${who} ${name}`);
      each(events, (one, at) => put(told[table], one, dayAt(month, at), who, name));
    }
    wanted[table] = withRest(wanted[table], ([day, who, name]) => names.has(`${day!.slice(0, 7)} ${who} ${name}`));
  }
  const keys = new Map<string, Set<string>>();
  const from = hoursFrom(held);
  for (const { day, kind, key, events, hours } of tables.days!) {
    keys.set(`${day} ${kind}`, (keys.get(`${day} ${kind}`) ?? new Set()).add(key));
    put(told.days, Number(events), day, kind, key);
    if (day >= from) each(hours ?? [], (one, at) => put(told.byHour, one, day, kind, key, at));
  }
  const isKept = ([day, kind, key]: string[]) => keys.get(`${day} ${kind}`)?.has(key!) ?? false;
  wanted.days = withRest(wanted.days, isKept);
  wanted.byHour = withRest(wanted.byHour, isKept);
  const stands = (key: string) =>
    !stale.includes(key.slice(0, 10)) && (held.past === null || key.slice(0, 10) > held.past);
  for (const [table, counts] of Object.entries(told) as [keyof typeof told, Counts][]) {
    const lines = (all: Counts) =>
      [...all]
        .filter(([key]) => stands(key) && (!["hours", "byHour"].includes(table) || key.slice(0, 10) >= from))
        .map(([key, events]) => `${key}: ${events}`)
        .sort();
    const [is, must] = [lines(counts), lines(wanted[table])];
    if (is.join("\n") !== must.join("\n"))
      throw new Error(
        `${table} of ${workspace} (${held.zone}, folded ${held.folded}, anew ${held.day} ${held.part}) has\n  ${is.filter((one) => !must.includes(one)).join("\n  ")}\nand must have\n  ${must.filter((one) => !is.includes(one)).join("\n  ")}`,
      );
  }
  for (const [group, all] of keys)
    if (stands(group) && all.size > (group.slice(0, 10) < held.folded ? BOUNDS.kept + 1 : BOUNDS.taken + BOUNDS.kept))
      throw new Error(`${group} has the keys ${[...all]}`);
};
