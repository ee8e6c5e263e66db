import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type Page } from "playwright/test";
import type { Row } from "../../test/support/service.js";
import { faintTextsWithin } from "../harness/contrast.js";
import { test } from "./fixtures.js";
import type { Contact } from "./start-demo.js";

/* The demo as `npm start` starts it, with real clicks on its pages. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/**
 * Is the picture in the README to be made anew? Its events then come over most of a minute, else all at once. With
 * `-g picture` the page shows nothing of the other tests.
 */
const NEW_PICTURE = process.env.UPDATE_SCREENSHOT === "1";
/** The README's picture is in the repository, and loaded by everybody who reads it. */
const PICTURE_BYTES = 80_000;

const identify = async (page: Page, { uid, accounts }: Contact) => {
  const option = page.locator(`#contact option[value*='"${uid}"'][value*='"${accounts[0]!.uid}"']`);
  await page.locator("#contact").selectOption(await option.getAttribute("value"));
  await page.getByRole("button", { name: "Identify" }).click();
};

const trackOwn = async (page: Page, name: string, json = "{}") => {
  await page.locator("#event-uid").fill(name);
  await page.locator("#params").fill(json);
  await page.getByRole("button", { name: "Track event" }).click();
};

/** How often the chart on the live page shows that event_uid, or all of them, read from what is drawn. */
const drawn = (live: Page, name?: string) =>
  live.evaluate<number>(`import("/vendor/chart.js/chart.js").then(({ Chart }) => {
    const { datasets } = Chart.getChart(document.querySelector("canvas")).data;
    const wanted = datasets.filter(({ label }) => ${name === undefined} || label === ${JSON.stringify(name ?? "")});
    return wanted.flatMap(({ data }) => data).reduce((total, count) => total + count, 0);
  })`);

const pageviews = (rows: Row[]) =>
  rows.filter((row) => row.event_uid === "pageview").map((row) => new URL(String(row.params.visit_url)).pathname);

const own = (rows: Row[]) => rows.filter((row) => row.event_uid !== "pageview").map((row) => row.event_uid);

for (const [name, path] of [
  ["classic", "/classic.html"],
  ["spa", "/spa.html"],
  ["late", "/late.html?load=button"],
] as const) {
  test(`a click on the ${name} page is a row in the database and a mark on the live page`, async ({
    page,
    live,
    demo,
  }) => {
    const contact = demo.contact();
    const mine = `clicked_on_${name}_${contact.uid.replace(/\W/g, "_")}`;
    await page.goto(demo.site + path);
    await identify(page, contact);
    await page.getByLabel("display_name").fill(`Sign-up on ${name}`);
    await page.getByRole("button", { name: "Track registration" }).click();
    await trackOwn(page, mine, '{ "plan": ');
    await expect(page.getByRole("alert")).toContainText("not valid JSON");
    await trackOwn(page, mine, "[1]");
    await expect(page.getByRole("alert")).toContainText("must be a JSON object");
    await trackOwn(page, mine, '{ "text": "<b>bold</b>", "nested": { "n": 1 } }');
    await expect(page.getByRole("alert")).toBeHidden();
    if (name === "late") await page.getByRole("button", { name: "Load it now" }).click();

    const before = name === "late" ? ["page_ready"] : [];
    await expect
      .poll(async () => own(await demo.rows(contact)).sort())
      .toEqual([mine, ...before, "registration"].sort());
    const rows = await demo.rows(contact);
    const account = contact.accounts[0]!.uid;
    expect(rows.find((row) => row.event_uid === "registration")!.params).toEqual({
      account_uid: account,
      display_name: `Sign-up on ${name}`,
    });
    expect(rows.find((row) => row.event_uid === mine)!.params).toEqual({
      account_uid: account,
      text: "<b>bold</b>",
      nested: { n: 1 },
    });

    const mark = live.getByRole("row").filter({ hasText: mine });
    await expect(mark).toHaveCount(1);
    await expect(mark).toContainText(contact.name);
    await expect(mark).toContainText("text: <b>bold</b>");
    await expect(mark).toContainText('nested: {"n":1}');
    await expect.poll(() => drawn(live, mine)).toBe(1);
    await expect(live.getByRole("listitem").filter({ hasText: mine })).toContainText("1");

    // Walk on, and back: each view is counted once, the first one too, which happened before anybody was known.
    const start = path.split("?")[0]!;
    await page.getByRole("link", { name: "Features" }).click();
    await expect(page.getByRole("link", { name: "Features" })).toHaveAttribute("aria-current", "page");
    if (name === "late") await page.getByRole("button", { name: "Load it now" }).click();
    const next = { classic: "/classic/features.html", spa: "/spa/features", late: start }[name];
    await expect.poll(async () => pageviews(await demo.rows(contact)).sort()).toEqual([start, next].sort());
    if (name === "late") return;
    await page.goBack();
    await expect(page.getByRole("link", { name: "Home" })).toHaveAttribute("aria-current", "page");
    await expect.poll(async () => pageviews(await demo.rows(contact)).sort()).toEqual([start, start, next].sort());
  });
}

test("what is tracked while the service is dead survives a reload and arrives once", { tag: "@core" }, async ({
  page,
  live,
  demo,
}) => {
  const contact = demo.contact();
  await page.goto(`${demo.site}/classic.html`);
  await identify(page, contact);
  await trackOwn(page, "before_the_crash");
  await expect.poll(async () => own(await demo.rows(contact))).toEqual(["before_the_crash"]);

  await demo.kill();
  await expect(live.locator("[data-state=reconnecting]")).toBeVisible();
  await trackOwn(page, "while_it_was_dead");
  await page.reload();
  await trackOwn(page, "after_the_reload");
  await demo.startService();

  const events = ["after_the_reload", "before_the_crash", "while_it_was_dead"];
  await expect.poll(async () => own(await demo.rows(contact)).sort(), { timeout: 90_000 }).toEqual(events);
  await expect(live.locator("[data-state=live]")).toBeVisible();
  for (const event of events) await expect(live.getByRole("row").filter({ hasText: event })).toHaveCount(1);
  // Whatever would come twice has come before the one that is sent last.
  await trackOwn(page, "at_the_end");
  await expect.poll(async () => own(await demo.rows(contact)).sort()).toEqual([...events, "at_the_end"].sort());
});

const PAGES = [
  "/",
  "/classic.html",
  "/classic/features.html",
  "/classic/pricing.html",
  "/spa.html",
  "/late.html",
  "/live.html",
];

test("every page fits a phone and a desktop, and is readable in light and dark", async ({ page, demo }) => {
  await demo.post(demo.contact(), "a_rather_long_event_uid_that_has_no_place_to_break", { url: "x".repeat(300) });
  const grounds = new Set<string>();
  for (const path of PAGES) {
    await page.goto(demo.site + path);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${path} at ${width} px is wider than the window`).toBeLessThanOrEqual(0);
        expect(await faintTextsWithin(page.locator("body")), `${path} at ${width} px, ${colorScheme}`).toEqual([]);
      }
      grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    }
  }
  expect(grounds.size).toBe(2);
});

test("every page can be inspected, on a phone and on a desktop", async ({ page, demo }) => {
  const panel = page.getByRole("dialog", { name: /^Inspector/ });
  const load = async () => {
    // The page's script is there.
    await expect(page.getByText("Not loaded yet, when you press the button.")).toBeVisible();
    await page.getByRole("button", { name: "Load it now" }).click();
  };
  for (const path of ["/", "/live.html"]) {
    await page.goto(`${demo.site + path}?tracklet_inspect`);
    await expect(panel).toContainText("There is no tracker on this page");
  }
  for (const path of [
    "/classic.html",
    "/classic/features.html",
    "/classic/pricing.html",
    "/spa.html",
    "/spa/features",
    "/late.html?page=features&load=button",
  ]) {
    await page.goto(demo.site + path);
    await page.getByRole("link", { name: "Inspect this page" }).click();
    await expect(panel).toBeVisible();
    const { pathname, searchParams } = new URL(path, demo.site);
    await expect(page).toHaveURL(
      (url) => url.pathname === pathname && url.searchParams.get("page") === searchParams.get("page"),
    );
    if (path.startsWith("/late")) {
      await expect(panel).toContainText("The script has not loaded, and calls wait (1)");
      await expect(page.getByRole("link", { name: "Features" })).toHaveAttribute("aria-current", "page");
      await load();
    }
    await expect(panel).toContainText("nobody is identified");
    await expect(panel).toContainText("Events wait for identify");
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  }
  await page.getByRole("button", { name: "Close" }).click();
  await identify(page, demo.contact());
  await page.getByRole("link", { name: "Inspect this page" }).click();
  await load();
  await expect(panel).toContainText("Nothing wrong is to be seen.");
});

test("a service that is down at the load is told in full, on a phone and on a desktop", async ({ page, demo }) => {
  await page.route("**/demo/contacts", (route) => route.abort());
  await page.goto(`${demo.site}/classic.html`);
  await expect(page.getByRole("alert")).toHaveText("The service does not answer: start it, and reload this page.");
  await expect(page.getByRole("combobox", { name: "Contact" })).toBeDisabled();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const hidden = await page.getByRole("alert").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(hidden).toBeLessThanOrEqual(0);
    expect(await faintTextsWithin(page.locator("body"))).toEqual([]);
  }
});

test("the chart follows the colour scheme while it is open", async ({ live, demo }) => {
  await demo.post(demo.contact(), "registration");
  const colour = () =>
    live.evaluate<string>(`import("/vendor/chart.js/chart.js").then(({ Chart }) => {
      const { data, options } = Chart.getChart(document.querySelector("canvas"));
      return [data.datasets.find(({ label }) => label === "registration")?.backgroundColor, options.scales.y.ticks.color].join();
    })`);
  await expect.poll(() => drawn(live, "registration")).toBeGreaterThan(0);
  const light = (await colour()).split(",");
  await live.emulateMedia({ colorScheme: "dark" });
  await expect
    .poll(async () => (await colour()).split(",").map((part, index) => part === light[index]))
    .toEqual([false, false]);
});

test("a burst is counted to the last event, and the table stays short", async ({ live, demo }) => {
  const contacts = Array.from({ length: 4 }, demo.contact);
  await live.locator("[value=minutes]").check();
  // Of all names: those beyond the eighth share one series.
  const expected = (await drawn(live)) + 400;
  await Promise.all(Array.from({ length: 400 }, (_, index) => demo.post(contacts[index % 4]!, "burst", { index })));
  await expect.poll(() => drawn(live)).toBe(expected);
  expect(await live.locator("[data-rows] tr").count()).toBeLessThanOrEqual(50);

  await live.getByRole("button", { name: "Pause" }).click();
  await expect(live.getByRole("status")).toHaveText("Paused");
  await demo.post(contacts[0]!, "while_paused");
  const resume = live.getByRole("button", { name: /Resume \(\d+ new\)/ });
  await expect(resume).toBeVisible();
  await expect(live.getByRole("row").filter({ hasText: "while_paused" })).toHaveCount(0);
  await resume.click();
  await expect(live.getByRole("status")).toHaveText("Live");
  await expect(live.getByRole("row").filter({ hasText: "while_paused" })).toHaveCount(1);
});

test("what arrives first while the live page is paused is not denied", async ({ page, demo }) => {
  // As with an empty database: only the stream tells of events.
  await page.route("**/demo/events?*", (route) =>
    route.fulfill({ json: { events: [] }, headers: { "access-control-allow-origin": "*" } }),
  );
  await page.goto(`${demo.site}/live.html`);
  await expect(page.getByRole("status")).toHaveText("Live");
  const empty = page.getByText("Nothing has arrived yet.");
  await expect(empty).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await demo.post(demo.contact(), "first_of_all");
  await expect(page.getByRole("button", { name: "Resume (1 new)" })).toBeVisible();
  await expect(empty).toBeHidden();
});

test("the live page has its picture taken", async ({ live, demo }) => {
  const samples: [name: string, params: object][] = [
    ["pageview", { visit_url: `${demo.site}/classic/features.html` }],
    ["registration", { display_name: "Registration: Team plan" }],
    ["pageview", { visit_url: `${demo.site}/spa/pricing` }],
    ["video_played", { title: "Product tour", seconds: 42 }],
    ["plan_chosen", { plan: "team" }],
  ];
  const visitors = Array.from({ length: 8 }, demo.contact);
  for (let step = 0; step < 60; step++) {
    // Hills and valleys, the same each time.
    const many = Math.round(4 + 2.5 * Math.sin(step / 6) + 1.5 * Math.sin(step * 2.4));
    for (let index = 0; index < many; index++) {
      const [name, params] = samples[(step * index + index) % samples.length]!;
      await demo.post(visitors[(step + index) % visitors.length]!, name, params);
    }
    if (NEW_PICTURE) await live.waitForTimeout(900);
  }
  // Not its own series: where other tests have used many names, those beyond the eighth share one.
  await expect(live.getByRole("row").filter({ hasText: "video_played" }).first()).toBeVisible();
  await expect.poll(() => drawn(live)).toBeGreaterThan(0);
  await live.setViewportSize({ width: 1000, height: 860 });
  await live.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const picture = join(ROOT, "e2e/.results/live.png");
  await live.screenshot({ path: picture, animations: "disabled" });
  expect((await stat(picture)).size).toBeLessThan(PICTURE_BYTES);
  if (NEW_PICTURE) await copyFile(picture, join(ROOT, "demo/site/live.png"));
});
