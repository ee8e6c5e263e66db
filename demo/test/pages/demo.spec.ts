import { expect } from "playwright/test";
import { drawn } from "./drawn.js";
import { test } from "./fixtures.js";
import { identify, own, pageviews, trackOwn } from "./visitor.js";

/* The demo as `npm start` starts it, with real clicks on its pages. */

for (const [name, path] of [
  ["classic", "/classic.html"],
  ["spa", "/spa.html"],
  ["late", "/late.html?load=button"],
] as const) {
  test(`A click on the demo's ${name} page is a row in the database and a live mark`, async ({ page, live, demo }) => {
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

test("Every page of the demo can be inspected", async ({ page, demo }) => {
  const panel = page.getByRole("dialog", { name: /^Inspector/ });
  const load = async () => {
    // The page's script is there.
    await expect(page.getByText("Not loaded yet, when you press the button.")).toBeVisible();
    await page.getByRole("button", { name: "Load it now" }).click();
  };
  await page.goto(`${demo.site}/live.html?tracklet_inspect`);
  await expect(panel).toContainText("The page has no script tag of tracklet");
  for (const path of [
    "/",
    "/classic.html",
    "/classic/features.html",
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
      await expect(panel).toContainText("calls that wait in window.tracklet (1)");
      await expect(page.getByRole("link", { name: "Features" })).toHaveAttribute("aria-current", "page");
      await load();
    }

    await expect(panel).toContainText("It waits at “Named”");
    await expect(panel).toContainText("Events wait for a log-in");
  }
  await page.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("Control+Alt+KeyI");
  await expect(panel).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await identify(page, demo.contact());
  await page.getByRole("link", { name: "Inspect this page" }).click();
  await load();
  await expect(panel).toContainText(/Working: “.+” was stored/);
});

test("The button of the site takes the made events out, and no visitor's", async ({ page, demo }) => {
  const contact = demo.contact();
  await demo.post(contact, "own");
  const countMade = async (): Promise<number> => {
    const headers = { authorization: "Bearer demo-access-token" };
    // On one page: behind the first one, those of the last minute are not settled yet.
    const { data } = await (await fetch(`${demo.service}/v2/events?limit=10000`, { headers })).json();
    return data.filter(({ params }: { params: { made?: boolean } }) => params.made).length;
  };
  const before = await countMade();
  expect(before).toBeGreaterThan(1_000);
  await page.goto(demo.site);
  await page.getByRole("button", { name: "Remove them" }).click();
  await expect(page.locator("[data-made]")).toContainText(`${before.toLocaleString("en")} made-up events are gone`);
  expect(await countMade()).toBe(0);
  expect(own(await demo.rows(contact))).toEqual(["own"]);
});
