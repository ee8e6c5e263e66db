import { expect } from "playwright/test";
import { faintTextsWithin } from "../harness/contrast.js";
import { drawn } from "./drawn.js";
import { test } from "./fixtures.js";
import { identify, own, pageviews, trackOwn } from "./visitor.js";

/* The demo as `npm start` starts it, with real clicks on its pages. */

for (const [name, path] of [
  ["classic", "/classic.html"],
  ["spa", "/spa.html"],
  ["late", "/late.html?load=button"],
] as const) {
  test(`a click on the ${name} page is a row in the database and a live mark`, async ({ page, live, demo }) => {
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
    expect(rows.find((row) => row.event_uid === "registration")!.params).toMatchObject({
      account_uid: account,
      display_name: `Sign-up on ${name}`,
    });
    expect(rows.find((row) => row.event_uid === mine)!.params).toMatchObject({
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

test("what is tracked in an outage survives a reload, and arrives once", { tag: "@core" }, async ({
  page,
  live,
  demo,
}) => {
  const contact = demo.contact();
  await page.goto(`${demo.site}/classic.html`);
  await identify(page, contact);
  await trackOwn(page, "before_the_crash");
  await expect.poll(async () => own(await demo.rows(contact))).toEqual(["before_the_crash"]);
  // The page has the answers to its view and to this: who lost them would send again, rightly.
  await expect(page.locator("[data-delivered]")).toHaveText("2");

  await demo.kill();
  await expect(live.locator("[data-state=reconnecting]")).toBeVisible();
  await trackOwn(page, "while_it_was_dead");
  await page.reload();
  await trackOwn(page, "after_the_reload");
  await demo.startService();

  const events = ["after_the_reload", "before_the_crash", "while_it_was_dead"];
  await expect.poll(async () => own(await demo.rows(contact)).sort(), { timeout: 90_000 }).toEqual(events);
  await expect(live.locator("[data-state=live]")).toBeVisible();
  // Whoever started it in a terminal stops it there.
  const stop = page.getByRole("button", { name: "Stop the service" });
  await expect(stop).toBeDisabled();
  await expect(stop).toHaveAttribute("title", /started in a terminal/);
  for (const event of events) await expect(live.getByRole("row").filter({ hasText: event })).toHaveCount(1);
  // Whatever would come twice has come before the one that is sent last.
  await trackOwn(page, "at_the_end");
  await expect.poll(async () => own(await demo.rows(contact)).sort()).toEqual([...events, "at_the_end"].sort());
});

test("every page can be inspected, on a phone and on a desktop", async ({ page, demo }) => {
  const panel = page.getByRole("dialog", { name: /^Inspector/ });
  const load = async () => {
    // The page's script is there.
    await expect(page.getByText("Not loaded yet, when you press the button.")).toBeVisible();
    await page.getByRole("button", { name: "Load it now" }).click();
  };
  await page.goto(`${demo.site}/live.html?tracklet_inspect`);
  await expect(panel).toContainText("There is no tracker on this page");
  for (const path of [
    "/",
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
  await page.keyboard.press("Control+Alt+KeyI");
  await expect(panel).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await identify(page, demo.contact());
  await page.getByRole("link", { name: "Inspect this page" }).click();
  await load();
  await expect(panel).toContainText("Working: the last event was stored");
});

test("a service that is down at the load is told in full, on a phone and on a desktop", async ({ page, demo }) => {
  await page.route("**/demo/contacts", (route) => route.abort());
  await page.goto(`${demo.site}/classic.html`);
  await expect(page.getByRole("alert")).toHaveText(
    "The service does not answer: start it, above, and reload this page.",
  );
  await expect(page.getByRole("combobox", { name: "Contact" })).toBeDisabled();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const hidden = await page.getByRole("alert").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(hidden).toBeLessThanOrEqual(0);
    expect(await faintTextsWithin(page.locator("body"))).toEqual([]);
  }
});
