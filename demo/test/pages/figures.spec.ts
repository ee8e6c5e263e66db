import { expect, type Page } from "playwright/test";
import { recordId } from "../../../src/service/base/exact-text.js";
import { type Question, readQuestions } from "../../../src/service/commands/assistant.js";
import { type PastEvent, startFilled } from "./filled-service.js";
import { card, cells, open, settled, test, tile } from "./owner.js";

/* The page, its API and the questions in SQL say the same of one database of random events. */

const DAY = 86_400_000;
const ZONE = "Pacific/Auckland";
const [ACME, ANNA] = [recordId("account", "acme"), recordId("contact", "anna")];

let seed = 49;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

/** Some accounts were never there lately. */
const EVENTS = Array.from({ length: 400 }, (): PastEvent => {
  const account = ["acme", "brisk", "quiet", "old", undefined][random(5)];
  const isView = random(2) === 0;
  return {
    days: (account === "old" ? 20 : account === "quiet" ? 9 : 0.2) + random(45_000) / 1_000,
    contact: ["anna", "ben", "cleo", "dora", "emil", "finn"][random(6)]!,
    ...(account && { account }),
    name: isView ? "pageview" : ["signup", "project_created", "colleague_invited"][random(3)]!,
    ...(isView && { params: { visit_url: `https://shop.example/${random(6)}` } }),
  };
});

type Row = Record<string, unknown>;
type Rows = unknown[][];
interface Told {
  rows: (question: number) => Promise<Row[]>;
  ask: (path: string) => Promise<never>;
}
/** What three say: each the same rows, but for their order. The page may show fewer, which are among them. */
interface Figure {
  sql: (told: Told) => Promise<Rows>;
  api: (told: Told) => Promise<Rows>;
  page?: [path: string, shown: (page: Page) => Promise<Rows>];
}

const date = (time: unknown): string => new Date(time as string).toISOString().slice(0, 10);
const ofList = async (page: Page, name: string): Promise<Rows> =>
  (await cells(card(page, name))).slice(1).map(([key, events]) => [key, Number(events)]);
const mondays = () => {
  const thisWeek = Date.now() - ((Date.now() - 4 * DAY) % (7 * DAY));
  return Array.from({ length: 8 }, (_, weeks) => date(thisWeek - weeks * 7 * DAY));
};
const lastOf = (monday: string) => date(Date.parse(monday) + 6 * DAY);

/** So many whole days, without today. */
const lastDays = (days: number) => `from=${date(Date.now() - days * DAY)}&to=${date(Date.now() - DAY)}`;

const FIGURES: Record<string, Figure> = {
  "active contacts of each week": {
    sql: async ({ rows }) =>
      (await rows(1)).filter(({ week }) => mondays().includes(`${week}`)).map(({ week, contacts }) => [week, contacts]),
    api: async ({ ask }) => {
      const weeks = await Promise.all(
        mondays().map(async (monday) => {
          const { contacts } = (await ask(`?from=${monday}&to=${lastOf(monday)}`)) as { contacts: { total: number } };
          return [monday, contacts.total];
        }),
      );
      return weeks.filter(([, total]) => Number(total) > 0);
    },
    page: [
      `/#from=${mondays()[2]}&to=${lastOf(mondays()[2]!)}`,
      async (page) => [[mondays()[2], Number(await tile(page, "contacts").textContent())]],
    ],
  },
  "when the members of an account were last seen": {
    sql: async ({ rows }) => (await rows(3)).map((row) => [row.contact_uid, Date.parse(`${row.last_seen}`)]),
    api: async ({ ask }) => {
      const { members } = (await ask(`/accounts/${ACME}`)) as { members: { data: Row[] } };
      return members.data.filter((one) => one.last_seen_at !== null).map((one) => [one.unique_id, one.last_seen_at]);
    },
  },
  "the most viewed pages": {
    sql: async ({ rows }) => (await rows(5)).map(({ page, views }) => [page, views]),
    api: async ({ ask }) => {
      const { pages } = (await ask("?span=30d")) as { pages: { data: Row[] } };
      return pages.data.map(({ key, events }) => [key, events]);
    },
    page: ["/#span=30d", (page) => ofList(page, "pages")],
  },
  "contacts by the week that they were first seen in": {
    sql: async ({ rows }) => (await rows(6)).map((row) => [row.week, row.new_contacts]),
    api: async ({ ask }) => {
      const { data } = (await ask("/returning?of=contact")) as { data: Row[] };
      return data.filter(({ began }) => Number(began) > 0).map(({ week, began }) => [week, began]);
    },
  },
  "who comes back": {
    sql: async ({ rows }) =>
      (await rows(7))
        .filter((row) => Number(row.weeks_later) > 0 && Number(row.weeks_later) <= 8)
        .map((row) => [row.first_week, row.weeks_later, row.contacts]),
    api: async ({ ask }) => {
      const { data } = (await ask("/returning?of=contact")) as { data: { week: string; active: number[] }[] };
      return data.flatMap(({ week, active }) =>
        active.flatMap((count, at) => (count > 0 ? [[week, at + 1, count]] : [])),
      );
    },
  },
  "accounts that have gone quiet": {
    sql: async ({ rows }) => (await rows(8)).map((row) => [row.account_uid, row.last_seen]),
    api: async ({ ask }) => {
      const { data } = (await ask("/accounts?span=90d")) as { data: Row[] };
      const quiet = date(Date.now() - 14 * DAY);
      return data.map((row) => [row.unique_id, String(row.last_seen_on)]).filter(([, last]) => String(last) < quiet);
    },
  },
  "what a contact did last": {
    sql: async ({ rows }) =>
      (await rows(10)).map((row) => [Date.parse(`${row.at}`), row.event_uid, row.account_uid, row.params]),
    api: async ({ ask }) => {
      const { data } = (await ask(`/contacts/${ANNA}/events?limit=50`)) as { data: Row[] };
      return data.map((row) => [row.received_at, row.event_uid, row.account_uid, row.params]);
    },
  },
  "page views of each day of another zone": {
    sql: async ({ rows }) => (await rows(12)).map(({ day, views }) => [day, views]),
    api: async ({ ask }) => {
      const told = await ask(`?span=90d&time_zone=${ZONE}`);
      const { starts, events } = told as {
        starts: number[];
        events: { data: { event_uid: string; counts: number[] }[] };
      };
      const { counts } = events.data.find(({ event_uid }) => event_uid === "pageview")!;
      const dayOf = new Intl.DateTimeFormat("en-CA", { timeZone: ZONE });
      return starts.flatMap((start, at) => (counts[at]! > 0 ? [[dayOf.format(start), counts[at]]] : []));
    },
  },
  "accounts of the last seven days, and of the seven before": {
    sql: async ({ rows }) => (await rows(14)).map((row) => [row.account_uid, row.events, row.before]),
    api: async ({ ask }) => {
      const lists = await Promise.all(["all", "silent"].map((show) => ask(`/accounts?${lastDays(7)}&show=${show}`)));
      return lists.flatMap(({ data }: { data: Row[] }) => data.map((row) => [row.unique_id, row.events, row.before]));
    },
    page: [
      `/accounts#${lastDays(7)}`,
      async (page) => (await cells(page.locator("table.accounts"))).slice(1).map((row) => [row[0], Number(row[3])]),
    ],
  },
};

const sorted = (rows: Rows): string[] => rows.map((row) => JSON.stringify(row)).sort();

test.use({ timezoneId: "UTC" });
test("The page, its API and SQL tell the same of random events", async ({ page }) => {
  const service = await startFilled(EVENTS);
  const questions = new Map((await readQuestions()).map((one: Question) => [one.number, one.sql]));
  const told: Told = {
    rows: async (question) => {
      const rows = await service.database.query<{ row: string }>(
        `SELECT to_json(answer)::text AS row FROM (${questions.get(question)}) AS answer`,
      );
      return rows.map(({ row }) => JSON.parse(row));
    },
    ask: async (path) => (await service.get(`/v2/numbers${path}`)).json() as Promise<never>,
  };
  await open(page, service.url);
  for (const [what, figure] of Object.entries(FIGURES)) {
    const [sql, api] = await Promise.all([figure.sql(told), figure.api(told)]);
    expect(sql.length, what).toBeGreaterThan(0);
    expect(sorted(api), what).toEqual(sorted(sql));
    if (figure.page === undefined) continue;
    const [path, shown] = figure.page;
    await page.goto("about:blank");
    await page.goto(service.url + path);
    await settled(page);
    const rows = await shown(page);
    expect(rows.length, what).toBeGreaterThan(0);
    const heads = new Set(sql.map((row) => JSON.stringify(row.slice(0, rows[0]!.length))));
    for (const row of rows) expect(heads, `${what}, on the page`).toContain(JSON.stringify(row));
  }
  await service.stop();
});
