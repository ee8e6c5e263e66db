import { readFile } from "node:fs/promises";
import { expect, type Page } from "playwright/test";
import { startSite } from "../../../e2e/harness/site.js";
import { runAndGo } from "../../../e2e/harness/tab.js";
import { ACCESS_TOKEN, API_TOKEN } from "../../../test/service/support/service.js";
import { waitFor } from "../../../test/support/wait.js";
import { hasColour } from "./drawn.js";
import { card, cells, field, give, open, settled, test, tile } from "./owner.js";

/* The numbers page. What `GET /v2/numbers` tells is the service's own test. */

// One service for all.
test.describe.configure({ mode: "default" });

const choose = async (page: Page, span: string) => {
  await page.locator(`[value="${span}"]`).check();
  await expect(page).toHaveURL(new RegExp(`span=${span}`));
  await settled(page);
};

test("The numbers page shows nothing but a form, and asks for nothing, until it has the access token", async ({
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto("/");
  await expect(field(page)).toBeVisible();
  await expect(page.getByRole("heading")).toHaveText(["Log in"]);
  await give(page, API_TOKEN);
  await expect(page.getByRole("alert")).toHaveText(/This token is of the kind api: the access token is wanted/);
  await expect(field(page)).toBeFocused();
  await expect(page.locator("[data-card], [data-tile]")).toHaveCount(0);
  expect(asked.filter((path) => !/^\/(numbers\/.*)?$/.test(path))).toEqual(["/v2/numbers"]);

  await give(page, ACCESS_TOKEN);
  await expect(tile(page, "events")).toHaveText("4");
  await page.reload();
  await expect(tile(page, "events")).toHaveText("4");
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.locator("[data-card], [data-tile]")).toHaveCount(0);
  await page.reload();
  await expect(field(page)).toBeVisible();
});

test("The numbers page shows what was stored: in each time, as figures, as bars, as tables", async ({ page }) => {
  await open(page);
  for (const [span, steps, ...figures] of [
    ["24h", 24, "3", "2", "2", "1"],
    ["7d", 7, "4", "3", "3", "2"],
    // Up to yesterday.
    ["30d", 30, "8", "3", "3", "3"],
    ["90d", 90, "10", "3", "5", "4"],
  ] as const) {
    await choose(page, span);
    for (const [at, name] of ["events", "views", "contacts", "accounts"].entries())
      await expect(tile(page, name)).toHaveText(figures[at]!);
    const meant = steps === 24 ? /^since / : steps === 7 ? /^\w+ \d+ to \w+ \d+$/ : /^\w+ \d+ to .*, without today$/;
    await expect(page.locator(".meant")).toHaveText(meant);
    // What it is compared with; before the first event there is nothing.
    const before =
      steps === 90
        ? /There is nothing to compare with: the first event came on \w+ \d+, \d+\. /
        : steps === 30
          ? /Compared with \w+ \d+, \d+ to \w+ \d+, \d+\. /
          : steps === 7
            ? /Compared with .* to .*\d\. Today is not over: the time before ends at the same hour\. /
            : /Compared with .* to .*\d\. Days begin /;
    await expect(page.getByRole("status").first()).toHaveText(before);
    if (steps === 90) await expect(page.getByText("0 before", { exact: true })).toHaveCount(0);
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
    expect(await hasColour(canvas, "--series-0")).toBe(true);
  }
  const [heads, today, , , early] = await cells(card(page, "events"));
  expect(heads).toEqual(["Day", "pageview", "=1+1"]);
  expect(today!.slice(1)).toEqual(["2", "1"]);
  expect(early!.slice(1)).toEqual(["1", "0"]);
  expect((await cells(card(page, "active")))[1]!.slice(1)).toEqual(["2", "1"]);
  expect(await cells(card(page, "pages"))).toEqual([
    ["Path", "Views", "Share", "Change"],
    ["/a", "2", "66.7%", "0 before"],
    ["/b", "1", "33.3%", "-50%"],
  ]);
  expect(await cells(card(page, "referrers"))).toContainEqual(["search.example", "1", "100%", "0 before"]);
  expect(await cells(card(page, "accounts"))).toContainEqual(["Acme Ltd", "2", "66.7%", "-50%"]);
  expect(await cells(card(page, "fell"))).toEqual([
    ["Account", "Events", "Before", "Change"],
    ["Acme Ltd", "2", "4", "-50%"],
    ["quietstopped", "0", "2", "-100%"],
  ]);
  await expect(page.locator("[data-tile=events] .note")).toHaveText("-33% · 6 before");
  // Brisk is new.
  await expect(card(page, "rose")).toBeHidden();
  const unused = (name: string) => `${name}not used in this time`;
  expect(await cells(card(page, "names"))).toEqual([
    ["Event", "Events", "People", "Accounts", "Last used", "Share", "Change"],
    ["pageview", "3", "2", "2", "today", "75%", "+50%"],
    ["=1+1", "1", "1", "0", "today", "25%", "0 before"],
    [unused("report_exported"), "0", "0", "0", "9d ago", "0%", "-100%"],
    [unused("signed_up"), "0", "0", "0", "20d ago", "0%", ""],
    [unused("old"), "0", "0", "0", "40d ago", "0%", ""],
  ]);
  await choose(page, "30d");
  expect((await cells(card(page, "rose"))).slice(1)).toEqual([["Acme Ltd", "5", "1", "+400%"]]);
});

test("A workspace without an event is shown the tag that brings the first one, and then its figures", async ({
  page,
  changing,
}) => {
  await open(page, changing.url);
  await expect(page.locator("[data-tile], [data-card]").filter({ visible: true })).toHaveCount(1);
  const tag = await page.getByLabel("The tag").textContent();
  expect(tag!.match(/https?:[^"]*/g)).toEqual([`${changing.url}/numbers/lib.js`, changing.url]);
  const site = await startSite();
  site.page("/", site.html({ tag: false, head: tag!.replace("YOUR_API_TOKEN", API_TOKEN) }));
  const own = await page.context().newPage();
  await own.goto(site.url);
  await waitFor(async () => (await (await changing.get("/v2/numbers")).json()).events.total === 1, {
    what: "the event to be counted",
  });
  await site.close();
  await page.reload();
  await expect(tile(page, "events")).toHaveText("1");
  await expect(card(page, "first")).toBeHidden();
  await expect(card(page, "accounts")).toContainText("COMPANY");
});

test("The numbers page shows events as they arrive, until the token is forgotten", async ({ page, changing }) => {
  await open(page, changing.url);
  await page.getByRole("link", { name: "Live" }).click();
  await expect(page.getByRole("status").first()).toHaveText("Live");
  await changing.post({ contact_uid: "dora", event_uid: "just_now" });
  const row = page.getByRole("row").filter({ hasText: "just_now" });
  await expect(row).toContainText("dora");
  await expect(page.locator("main")).toContainText(
    "Your developers can send names to show in place of uids: PUT /v2/contacts?uid=…",
  );
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(field(page)).toBeVisible();
  await expect(page.getByText("just_now")).toHaveCount(0);
});

test("The live page calls people and companies by their names, and each leads to its page", async ({ page }) => {
  await open(page);
  await page.getByRole("link", { name: "Live" }).click();
  const row = page.locator("[data-rows] tr").filter({ hasText: "Anna Berg" }).first();
  await expect(row).toContainText("Acme Ltdacme");
  await expect(page.locator("[data-rows] time").last()).toHaveText(/^[A-Z][a-z]+ \d+ \d\d:\d\d:\d\d$/);
  await row.getByRole("link", { name: "Acme Ltd" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Acme Ltd");
  await page.goto("/#live");
  await row.getByRole("link", { name: "Anna Berg" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Anna Berg");
});

// Firefox's driver tells nothing of a file that a page makes.
test("Who is left out, and who comes back, are asked for like the rest: an answer that is cut off is told", async ({
  page,
}) => {
  const isTold = page.getByText("The service does not answer as it should");
  const cut = (path: string) => page.route(path, (route) => route.fulfill({ body: '{"data":[' }));
  await cut("**/v2/numbers/left-out");
  await page.goto("/");
  await give(page, ACCESS_TOKEN);
  await expect(isTold).toBeVisible();
  // The figures stand.
  await expect(tile(page, "events")).toHaveText("4");
  await page.unroute("**/v2/numbers/left-out");
  await page.getByRole("radio", { name: "24 hours" }).check();
  await expect(isTold).toBeHidden();
  await cut("**/v2/numbers/returning?of=contact");
  await card(page, "returning").getByRole("radio", { name: "People" }).check();
  await expect(isTold).toBeVisible();
});

test("Each figure of the numbers page is a file for a spreadsheet", { tag: "@browser" }, async ({ page }) => {
  await open(page);
  const read = async (name: string): Promise<string[]> => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      card(page, name)
        .getByRole("button", { name: /as CSV$/ })
        .click(),
    ]);
    const days = name === "returning" ? "" : "(-to)?-\\d{4}-\\d\\d-\\d\\d".repeat(2);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^${name}${days}\\.csv$`));
    const text = await readFile(await download.path(), "utf8");
    expect(text).toMatch(/^\ufeff.*\r\n$/s);
    return text.slice(1).trimEnd().split("\r\n");
  };
  const events = await read("events");
  // Each cell is quoted, and what strangers have named is no formula.
  expect(events[0]).toBe(`"Day","pageview","'=1+1"`);
  expect(events.slice(1).map((line) => line.replace(/^"\d{4}-\d\d-\d\d",/, ""))).toEqual([
    `"0","0"`,
    `"0","0"`,
    `"0","0"`,
    `"1","0"`,
    `"0","0"`,
    `"0","0"`,
    `"2","1"`,
  ]);
  expect((await read("active")).at(-1)).toMatch(/^"\d{4}-\d\d-\d\d","2","1"$/);
  expect(await read("pages")).toEqual([
    `"Path","Views","Before","Share","Change in %"`,
    `"/a","2","0","66.67%",""`,
    `"/b","1","2","33.33%","-50"`,
  ]);
  expect(await read("accounts")).toContain(`"Acme Ltd","acme","2","4","66.67%","-50"`);
  expect(await read("returning")).toHaveLength(13);
  await card(page, "names").getByRole("link", { name: "Accounts" }).click();
  await card(page, "names").getByRole("link", { name: "Last used" }).click();
  await settled(page);
  await card(page, "names").getByRole("link", { name: "Last used" }).click();
  await settled(page);
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  expect((await read("names")).slice(0, 3)).toEqual([
    `"Event","Events","People","Accounts","Last used","Before","Share","Change in %"`,
    `"old","0","0","0","${day(40)}","0","0.00%",""`,
    `"signed_up","0","0","0","${day(20)}","0","0.00%",""`,
  ]);
  await card(page, "names").getByRole("link", { name: "old" }).click();
  await settled(page);
  expect((await read("events"))[0]).toBe(`"Day","old"`);
  await page.goto("/#span=7d");
  await settled(page);
  await page.locator("nav.pages").getByRole("link", { name: "Accounts" }).click();
  await settled(page);
  // Per cent, as on the page.
  expect((await read("accounts"))[1]).toMatch(/^"Acme Ltd","acme","2","1","2","4","-50",/);
});

test("No name hides: those beyond the chart's eight colours are links in a list, and a name keeps its colour", async ({
  page,
  changing,
}) => {
  const names = Array.from({ length: 12 }, (_, at) => `name-${at + 10}`);
  const params = { occurred_at: Date.now() - 10 * 86_400_000 };
  await changing.post({ contact_uid: "one", event_uid: "unused", params });
  for (const event_uid of names) await changing.post({ contact_uid: "one", event_uid });
  const isCounted = async () => {
    const { total, more } = (await (await changing.get("/v2/numbers")).json()).events;
    return total === names.length && more.at(-1).event_uid === "unused";
  };
  await waitFor(isCounted, { what: "all events to be counted" });
  await open(page, changing.url);
  const legend = card(page, "events").getByRole("list");
  const colourOf = (name: string) =>
    legend
      .getByRole("listitem")
      .filter({ hasText: name })
      .locator(".swatch")
      .evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
  await expect(legend.getByRole("listitem")).toHaveText([...names.slice(0, 8).map((name) => `${name}1`), "others4"]);
  const colours = await Promise.all(names.slice(0, 8).map(colourOf));
  expect(new Set(colours).size).toBe(8);
  const list = card(page, "names");
  await expect(list.getByRole("rowheader")).toHaveText(names.slice(0, 10));
  await list.getByRole("button", { name: "Show all" }).click();
  await expect(list.getByRole("rowheader")).toHaveText([...names, "unusednot used in this time"]);
  await list.getByRole("link", { name: "name-21" }).click();
  await settled(page);
  await expect(tile(page, "events")).toHaveText("1");
  await page.goto("about:blank");
  await page.goto(`${changing.url}/#span=24h&name=name-13`);
  await settled(page);
  expect(await colourOf("name-13")).toBe(colours[3]);
  await page.goto("about:blank");
  await page.goto(`${changing.url}/#span=24h`);
  await settled(page);
  expect(await Promise.all(names.slice(0, 8).map(colourOf))).toEqual(colours);
});

test("Days of a calendar are chosen, and a link to them shows the same", async ({ page, context }) => {
  await open(page);
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toLocaleDateString("sv");
  await page.getByLabel("From", { exact: true }).fill(day(9));
  await page.getByLabel("to", { exact: true }).fill(day(8));
  await page.getByRole("button", { name: "Show days" }).click();
  await expect(tile(page, "events")).toHaveText("6");
  await expect(card(page, "events").locator("tbody tr")).toHaveCount(2);
  await expect(page.locator(".meant")).not.toContainText("today");
  // The first tab gives it the token, and takes it back.
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(tile(other, "events")).toHaveText("6");
  await runAndGo(page, "history.back()");
  await expect(tile(page, "events")).toHaveText("4");
  // Days to come are none, and so many are without today.
  await page.getByLabel("From", { exact: true }).fill(day(9));
  await page.getByLabel("to", { exact: true }).fill(day(-3));
  await page.getByRole("button", { name: "Show days" }).click();
  await expect(page.locator(".meant")).toHaveText(/^\w+ \d+ to \w+ \d+, without today$/);
  await expect(card(page, "events").locator("tbody tr")).toHaveCount(9);
  await other.getByRole("button", { name: "Log out" }).click();
  await expect(field(page)).toBeVisible();
});
