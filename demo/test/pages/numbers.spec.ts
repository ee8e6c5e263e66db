import { readFile } from "node:fs/promises";
import { test as base, expect, type Locator, type Page } from "playwright/test";
import { faintTextsWithin } from "../../../e2e/harness/contrast.js";
import { PAGES } from "../../../e2e/harness/engines.js";
import { createGuard, type Guard } from "../../../e2e/harness/guard.js";
import { ACCESS_TOKEN, API_TOKEN, type RunningService } from "../../../test/service/support/running-service.js";
import { type PastEvent, startFilled } from "./filled-service.js";

/* The numbers page as it was built, before a real service. What `GET /v2/numbers` tells is the service's own test. */

// One service for all.
base.describe.configure({ mode: "default" });

const shop = (path: string) => ({ visit_url: `https://shop.example${path}` });
const EVENTS: PastEvent[] = [
  { days: 60, contact: "anna", account: "acme", name: "old" },
  { days: 20, contact: "ben", account: "acme", name: "signed_up" },
  { days: 3, contact: "cleo", account: "quiet", name: "pageview", params: shop("/b") },
  {
    ...{ days: 0, contact: "anna", account: "acme", name: "pageview" },
    params: { ...shop("/a"), referrer: "https://search.example/" },
  },
  { days: 0, contact: "anna", account: "acme", name: "pageview", params: shop("/a?x=1") },
  { days: 0, contact: "ben", name: "=1+1" },
];

const test = base.extend<{ guard: Guard }, { service: RunningService }>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
    async ({}, use) => {
      const service = await startFilled(EVENTS);
      await use(service);
      await service.stop();
    },
    { scope: "worker" },
  ],
  guard: [
    async ({ context }, use) => {
      const guard = createGuard();
      guard.watch(context);
      await use(guard);
      expect(guard.objections(), "errors in the page").toEqual([]);
      expect(
        guard.browserMessages.filter((text) => !/401/.test(text)),
        "what the browser says",
      ).toEqual([]);
    },
    { auto: true },
  ],
  baseURL: ({ service }, use) => use(service.url),
});

const field = (page: Page) => page.getByLabel("Access token");
const tile = (page: Page, name: string) => page.locator(`[data-tile=${name}] .value`);
const card = (page: Page, name: string) => page.locator(`[data-card=${name}]`);
const cells = (within: Locator) =>
  within
    .getByRole("row")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent)));

const give = async (page: Page, token: string) => {
  await field(page).fill(token);
  await page.getByRole("button", { name: "Show the numbers" }).click();
};
const open = async (page: Page) => {
  await page.goto("/");
  await give(page, ACCESS_TOKEN);
  await expect(page.getByRole("status")).toContainText("Counted up to");
};
const choose = async (page: Page, span: string) => {
  await page.locator(`[value="${span}"]`).check();
  await expect(page.locator(".numbers-view")).toHaveAttribute("aria-busy", "false");
};

test(
  "The numbers page shows nothing but a form, and asks for nothing, until it has the access token",
  PAGES,
  async ({ page }) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto("/");
    await expect(field(page)).toBeVisible();
    await expect(page.getByRole("heading")).toHaveText(["Numbers"]);
    await give(page, API_TOKEN);
    await expect(page.getByRole("alert")).toHaveText(/The service does not know this token\. Is it the access token/);
    await expect(field(page)).toBeFocused();
    await expect(page.locator("[data-card], [data-tile]")).toHaveCount(0);
    expect(asked.filter((path) => !/^\/(numbers\/.*)?$/.test(path))).toEqual(["/v2/numbers"]);

    await give(page, ACCESS_TOKEN);
    await expect(tile(page, "events")).toHaveText("4");
    await page.reload();
    await expect(tile(page, "events")).toHaveText("4");
    await page.getByRole("button", { name: "Forget token" }).click();
    await expect(page.locator("[data-card], [data-tile]")).toHaveCount(0);
    await page.reload();
    await expect(field(page)).toBeVisible();
  },
);

test(
  "The numbers page shows what was stored: in each time, as figures, as bars, as tables",
  PAGES,
  async ({ page }) => {
    await open(page);
    for (const [span, steps, ...figures] of [
      ["24h", 24, "3", "2", "2", "1"],
      ["7d", 7, "4", "3", "3", "2"],
      ["30d", 30, "5", "3", "3", "2"],
      ["90d", 90, "6", "3", "3", "2"],
    ] as const) {
      await choose(page, span);
      for (const [at, name] of ["events", "views", "contacts", "accounts"].entries())
        await expect(tile(page, name)).toHaveText(figures[at]!);
      const table = card(page, "events").getByRole("table", { includeHidden: true });
      await expect(table.locator("tbody tr")).toHaveCount(steps);
    }
    await expect(tile(page, "last")).toHaveText(/ago|now/);

    await choose(page, "7d");
    for (const name of ["events", "active"]) {
      const [canvas, table] = [card(page, name).getByRole("img"), card(page, name).getByRole("table")];
      await expect(canvas).toHaveAccessibleName(/The table below has the figures\.$/);
      await expect(table).toBeHidden();
      await card(page, name).getByText("As a table").click();
      await expect(table).toBeVisible();
      // Bars in the first colour.
      const isDrawn = (element: HTMLCanvasElement): boolean => {
        const { width, height } = element;
        const { data } = element.getContext("2d")!.getImageData(0, 0, width, height);
        const { style } = document.body.appendChild(document.createElement("i"));
        style.color = "var(--series-0)";
        const wanted = getComputedStyle(document.body.lastElementChild!).color.match(/\d+/g)!.map(Number);
        document.body.lastElementChild!.remove();
        for (let at = 0; at < data.length; at += 4)
          if (wanted.every((value, channel) => Math.abs(value - data[at + channel]!) < 3)) return true;
        return false;
      };
      expect(await canvas.evaluate(isDrawn as never)).toBe(true);
    }
    const [heads, today, , , early] = await cells(card(page, "events"));
    expect(heads).toEqual(["Day", "pageview", "=1+1"]);
    expect(today!.slice(1)).toEqual(["2", "1"]);
    expect(early!.slice(1)).toEqual(["1", "0"]);
    expect((await cells(card(page, "active")))[1]!.slice(1)).toEqual(["2", "1"]);
    expect(await cells(card(page, "pages"))).toEqual([
      ["Path", "Views", "Share"],
      ["/a", "2", "66.7%"],
      ["/b", "1", "33.3%"],
    ]);
    expect(await cells(card(page, "referrers"))).toContainEqual(["search.example", "1", "100%"]);
    expect(await cells(card(page, "accounts"))).toContainEqual(["acme", "2", "66.7%"]);
  },
);

test("The numbers page shows events as they arrive, until the token is forgotten", async ({ page, service }) => {
  await open(page);
  await page.getByRole("link", { name: "Live" }).click();
  await expect(page.getByRole("status").first()).toHaveText("Live");
  await service.post({ contact_uid: "dora", event_uid: "just_now" });
  await expect(page.getByRole("row").filter({ hasText: "just_now" })).toContainText("dora");
  await page.getByRole("button", { name: "Forget token" }).click();
  await expect(field(page)).toBeVisible();
  await expect(page.getByText("just_now")).toHaveCount(0);
});

// Firefox's driver tells nothing of a file that a page makes.
test("Each figure of the numbers page is a file for a spreadsheet", { tag: "@browser" }, async ({ page }) => {
  await open(page);
  const read = async (name: string): Promise<string[]> => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      card(page, name)
        .getByRole("button", { name: /as CSV$/ })
        .click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${name}.csv`);
    const text = await readFile(await download.path(), "utf8");
    expect(text).toMatch(/^\ufeff.*\r\n$/s);
    return text.slice(1).trimEnd().split("\r\n");
  };
  const events = await read("events");
  // What strangers have named is no formula.
  expect(events[0]).toBe(`"Day","pageview","'=1+1"`);
  expect(events.slice(1).map((line) => line.replace(/^"\d{4}-\d\d-\d\dT[\d:.]+Z",/, "").replaceAll('"', ""))).toEqual([
    ...["0,0", "0,0", "0,0", "1,0", "0,0", "0,0", "2,1"],
  ]);
  expect((await read("active")).at(-1)).toMatch(/Z","2","1"$/);
  expect(await read("pages")).toEqual(['"Path","Views","Share"', `"/a","2","${2 / 3}"`, `"/b","1","${1 / 3}"`]);
  expect(await read("referrers")).toEqual(['"Referrer","Views","Share"', '"search.example","1","1"']);
  expect(await read("accounts")).toEqual([
    '"Account","Events","Share"',
    `"acme","2","${2 / 3}"`,
    `"quiet","1","${1 / 3}"`,
  ]);
});

test(
  "The numbers page fits a phone, can be read in light and dark, and is reached by keys",
  PAGES,
  async ({ page, browserName }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page);
    for (const summary of await page.locator("summary").all()) await summary.click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    // Firefox's driver sets no colour scheme.
    for (const colorScheme of browserName === "firefox" ? [] : (["light", "dark"] as const)) {
      await page.emulateMedia({ colorScheme });
      expect(await faintTextsWithin(page.locator("body")), colorScheme).toEqual([]);
    }
    const reached = new Set<string>();
    await page.locator("body").press("Tab");
    for (let step = 0; step < 20; step++) {
      reached.add(
        await page.evaluate(
          () => document.activeElement!.getAttribute("aria-label") ?? document.activeElement!.textContent!.trim(),
        ),
      );
      await page.keyboard.press("Tab");
    }
    expect([...reached]).toEqual(
      expect.arrayContaining(["Forget token", "Events by name as CSV", "As a table", "Events by name: table"]),
    );
    await page.locator("[value='7d']").focus();
    await page.keyboard.press("ArrowRight");
    await expect(page.locator("[value='30d']")).toBeChecked();
    await expect(tile(page, "events")).toHaveText("5");
  },
);
