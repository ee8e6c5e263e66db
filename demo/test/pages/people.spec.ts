import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, type Page } from "playwright/test";
import { runAndGo } from "../../../e2e/harness/tab.js";
import { createToken } from "../../../src/service/access/tokens.js";
import { ACCESS_TOKEN, API_TOKEN } from "../../../test/service/support/service.js";
import { waitFor } from "../../../test/support/wait.js";
import { ADMIN_TOKEN, card, cells, give, open, settled, test, tile } from "./owner.js";

/* From a number to the people behind it: what each page shows, and what leads where. */

test.describe.configure({ mode: "default" });

const follow = async (page: Page, name: string, within = page.locator("main")) => {
  await within.getByRole("link", { name, exact: true }).click();
  await settled(page);
};

// In Chromium alone: the driver of Firefox loses a page that comes back from the back/forward cache.
test("From a day to the account and the person behind it are three clicks, and the same way back", async ({ page }) => {
  await open(page);
  // The day on which a page view came from Brisk alone.
  await page.locator("[data-card=events] .u-over").click({ position: { x: await columnOf(page, 4), y: 100 } });
  await expect(page).toHaveURL(/from=(\d{4}-\d\d-\d\d)&to=\1/);
  await expect(tile(page, "events")).toHaveText("1");
  await follow(page, "brisk", card(page, "accounts"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("brisk");
  await expect(tile(page, "events")).toHaveText("1");
  await follow(page, "cleo", card(page, "members"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("cleo");
  await expect(card(page, "time-line").getByRole("listitem").first()).toContainText("/b");
  await runAndGo(page, "history.back()");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("brisk");
  await runAndGo(page, "history.back()");
  await expect(page).toHaveURL(/#.*from=/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Numbers");
  await runAndGo(page, "history.back()");
  await expect(tile(page, "events")).toHaveText("4");
});

/** The middle of a bar of a week. */
const columnOf = async (page: Page, day: number) =>
  ((day - 0.5) / 7) * (await page.locator("[data-card=events] .u-over").boundingBox())!.width;

test("A name and a path lead to what they are made of, and each filter is taken away by itself", async ({ page }) => {
  await open(page);
  await follow(page, "pageview", card(page, "events"));
  await expect(tile(page, "events")).toHaveText("3");
  await follow(page, "/a", card(page, "pages"));
  await expect(tile(page, "events")).toHaveText("2");
  expect(await cells(card(page, "people"))).toEqual([
    ["Person", "Events", "Share", "Change"],
    ["Anna Berg", "2", "100%", "0 before"],
  ]);
  await expect(page.getByRole("list", { name: "Filters" }).getByRole("listitem")).toHaveCount(2);
  await page.getByRole("link", { name: "Without Event: pageview" }).click();
  await expect(page).not.toHaveURL(/name=/);
  await settled(page);
  await page.getByRole("link", { name: "Without Path: /a" }).click();
  await expect(tile(page, "events")).toHaveText("4");
});

test("The page of a name says how many did it, who did not, and when it was last", async ({ page }) => {
  await open(page, "/#span=30d&name=report_exported");
  for (const name of ["accounts", "contacts"]) await expect(tile(page, name)).toHaveText("1 of 3");
  await expect(tile(page, "last")).toHaveText("9d ago");
  expect(await cells(card(page, "without"))).toEqual([
    ["Account", "Other events", "Before", "Change"],
    ["quiet", "2", "0", "0 before"],
    ["brisk", "1", "0", "0 before"],
  ]);
  expect((await cells(card(page, "idle"))).map(([name]) => name)).toEqual(["Person", "dora", "cleo"]);
  for (const name of ["pages", "referrers", "fell", "people-fell"]) await expect(card(page, name)).toBeHidden();
  await page.getByRole("radio", { name: "7 days" }).check();
  await expect(tile(page, "last")).toHaveText("9d ago");
  await expect(tile(page, "views")).toBeHidden();
  // Who does it no more.
  await expect(card(page, "people-fell").getByRole("row")).toHaveText([
    "PersonEventsBeforeChange",
    "benstopped04-100%",
  ]);
  await page.getByRole("radio", { name: "30 days" }).check();
  await page.getByText("Active, but did not do this").getByRole("link", { name: "2 people" }).click();
  await settled(page);
  await expect(page.getByRole("rowheader")).toHaveText(["doraquiet", "cleobrisk"]);
  await page.goto("/#span=30d&name=report_exported");
  await page.getByText("Active, but did not do this").getByRole("link", { name: "2 accounts" }).click();
  await expect(page.getByRole("rowheader")).toHaveText(["quiet", "brisk"]);
});

test("Steps are named, and tell how many take them, who takes all, and who stops where", async ({ page }) => {
  await open(page);
  await follow(page, "Steps", page.locator("nav.pages"));
  for (const [at, name] of ["signed_up", "report_exported", "=1+1"].entries())
    await page.getByRole("combobox").nth(at).fill(name);
  // Those of the time before, too.
  await expect(page.locator("#names option")).toHaveCount(3);
  await page.getByRole("radio", { name: "30 days" }).check();
  await expect(page.locator("#names [value=signed_up]")).toBeAttached();
  const within = async (days: string) => {
    await page.getByLabel("within how many days").fill(days);
    await page.getByRole("button", { name: "Show steps" }).click();
    await expect(page).toHaveURL(new RegExp(`within=${days}\\b`));
    await settled(page);
    return Promise.all(["steps", "stopped", "finished"].map((name) => cells(card(page, name))));
  };
  const heads = ["Step", "People", "Share", "Of step before", "Stop here", "Accounts"];
  const time = expect.stringMatching(/^\w+ \d+, 20\d\d, \d\d:\d\d$/);
  const first = ["signed_up", "1", "100%", "100%", "0", "1"];
  expect(await within("12")).toEqual([
    [
      heads,
      first,
      ["report_exported", "1", "100%", "100%", "1", "1"],
      ["=1+1no event in this time has this name", "0", "0%", "0%", "0", "0"],
    ],
    [
      ["Person", "Account", "Last step", "Taken"],
      ["benAcme Ltd", "Acme Ltd", "report_exported", time],
    ],
    [],
  ]);
  expect(await within("21")).toEqual([
    [heads, first, ["report_exported", "1", "100%", "100%", "0", "1"], ["=1+1", "1", "100%", "100%", "0", "1"]],
    [],
    [
      ["Person", "Account", "signed_up", "report_exported", "=1+1"],
      ["benAcme Ltd", "Acme Ltd", time, time, time],
    ],
  ]);
  await expect(card(page, "stopped")).toBeHidden();
  // The days since the start are not over.
  await page.getByRole("combobox").nth(2).fill("old");
  const [row] = (await within("30"))[1]!.slice(1);
  expect(row!.at(-1)).toMatch(/may go on until/);
  await page.getByRole("combobox").nth(2).fill("trial_startd");
  expect((await within("20"))[0]!.at(-1)).toEqual([
    "trial_startdno event in this time has this name",
    "0",
    "0%",
    "0%",
    "0",
    "0",
  ]);
});

test("Any question is asked by a form, whose answer is a table with its SQL", async ({ page }) => {
  await open(page);
  await follow(page, "Questions", page.locator("nav.pages"));
  const unfold = async (name: string) => {
    await card(page, name).getByRole("heading", { level: 3 }).click();
    return card(page, name);
  };
  const question = await unfold("keys");
  // What wants nothing is asked at once.
  await expect(question.getByRole("row").nth(1)).toHaveText(/^pageview/);
  await question.getByLabel(/^Of what/).selectOption("path");
  await question.getByRole("button", { name: "Ask" }).click();
  await expect(question.getByRole("row").nth(1)).toHaveText(/^\/a266\.7%00 before/);
  await expect(question).toContainText(/Of \w+ \d+, 20\d\d to .* Days begin and end at midnight in UTC/);
  await question.getByText("As SQL").click();
  await expect(question.getByText("-- :kind = 'name'")).toBeVisible();
  await expect(await unfold("losses")).toContainText(
    "This cannot be told: none of the latest 20,000 events is of a page",
  );
  await expect(card(page, "losses").getByText("In all")).toHaveCount(0);
  // People and accounts have their names, days and times are told as such, and what is wrong is said at its field.
  const account = await unfold("account");
  const ask = async (uid: string) => {
    await account.getByLabel("Account").fill(uid);
    await account.getByRole("button", { name: "Ask" }).click();
  };
  await ask("nobody");
  await expect(account.getByRole("alert")).toHaveText("No account has this name or uid.");
  await ask("I");
  await expect(account.getByRole("alert")).toHaveText("2 accounts match this: give the uid of one.");
  await ask("acme ltd");
  await expect(account.getByRole("alert")).toHaveCount(0);
  await expect(card(page, "steps").locator("[href='/steps']")).toHaveText("A page of its own shows this, too");
  await expect(card(page, "time-line").getByLabel("Before")).toHaveCount(0);
  const people = account.getByRole("table", { name: "People" });
  await expect(people).toBeVisible();
  const [heads, first] = await cells(people);
  expect(heads).toEqual(["Person", "Events", "Last seen"]);
  expect(first).toEqual([
    expect.stringMatching(/^Anna Berg|^ben/),
    expect.any(String),
    expect.stringMatching(/^\w+ \d+, 20\d\d$/),
  ]);
  await expect(account.getByRole("link", { name: "Anna Berg" })).toHaveAttribute("href", /^\/contacts\//);
  const names = await unfold("account-names");
  await page.getByRole("radio", { name: "24 hours" }).check();
  await expect(names.getByRole("row").nth(1)).toHaveText(/^Acme Ltdacmepageview2/);
  await expect(names).toContainText("How many did any of it1");
  // Uids are offered with their names, an answer is as long as it is, and a link shows the time that is chosen.
  await expect(page.locator("#accounts option[value=acme]")).toHaveText("Acme Ltd (acme)");
  await expect(names.getByRole("region").first()).toHaveCSS("max-height", "none");
  await expect(page.getByRole("link", { name: "Questions" })).toHaveAttribute("href", "/questions#span=24h");
});

test("The accounts are listed, sorted, searched, and told apart by who falls and who is silent", async ({ page }) => {
  await open(page, "/accounts");
  const rows = async () => (await cells(page.locator("table.accounts"))).slice(1).map((row) => row.slice(0, 5));
  expect(await rows()).toEqual([
    ["Acme Ltdacme", "2", "1", "2", "-50%"],
    ["brisk", "1", "1", "1", "0 before"],
  ]);
  // The list is the page: it scrolls with it.
  await expect(page.getByRole("region", { name: "Accounts: table" })).toHaveCSS("max-height", "none");
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await expect(page.getByRole("columnheader", { name: "Events" })).toHaveAttribute("aria-sort", "ascending");
  await expect(page.getByRole("rowheader").first()).toHaveText("brisk");
  await follow(page, "call these 3");
  const health = async () => (await cells(page.locator("table.accounts"))).slice(1).map((row) => [row[0], row.at(-1)]);
  const [quiet, acme] = [
    ["quiet", "averagefalling -100%"],
    ["Acme Ltdacme", "averagefalling -50%"],
  ];
  const gone = ["gone", expect.stringMatching(/^badsilent since \w+ \d+$/)];
  await expect.poll(health).toEqual([acme, quiet, gone]);
  await expect(card(page, "accounts")).toContainText(
    "All that are falling 2, silent 1 (who is both counts once), who lost most events first, then who was seen last.",
  );
  await follow(page, "falling 2");
  await expect.poll(health).toEqual([acme, quiet]);
  await follow(page, "silent 1");
  await expect.poll(health).toEqual([gone]);
  await expect(card(page, "accounts")).toContainText("good is active on more than 4 of the last 14 days");
  await page.getByRole("link", { name: "new 1" }).click();
  await expect(page.getByRole("rowheader")).toHaveText(["brisk"]);
  await expect(page.getByRole("cell").last()).toHaveText("averagenew");
  await page.getByLabel("Search accounts").fill("quiet");
  await expect(page.getByRole("rowheader")).toHaveText(["quiet"]);
  // It looks at all, so that no tab is marked.
  await expect(page.locator(".tabs [aria-current=page]")).toHaveCount(0);
  await page.getByLabel("Search accounts").fill("ACME");
  await expect(page.getByRole("rowheader")).toHaveText(["Acme Ltdacme"]);
  await expect(page.getByLabel("Search accounts")).toBeFocused();
  // The first event is of less than ninety days ago.
  await page.goto("/accounts#span=90d&show=rising");
  await expect(page.locator("main")).toContainText("There is nothing to compare with");
  await expect(page.locator(".tabs [aria-current=page]")).toHaveText("rising 0");
  await expect(page.locator(".paging")).toContainText("0 accounts");
  await page.getByLabel("Search accounts").fill("nobody");
  await expect(page.locator("main")).toContainText('No account matches "nobody".');
  await page.reload();
  await expect(page.locator("main")).toContainText('No account matches "nobody".');
});

test("People are listed, told apart, and found by name, e-mail address or uid, whenever they were active", async ({
  page,
}) => {
  await open(page);
  await follow(page, "People", page.locator("nav.pages"));
  const rows = async () => (await cells(page.locator("table.contacts"))).slice(1).map((row) => row.slice(0, 4));
  const [anna, ben, cleo] = [
    ["Anna Bergannaanna@acme.exampleAcme Ltd", "Acme Ltd", "2", "0 before"],
    ["benAcme Ltd", "Acme Ltd", "1", "-75%"],
    ["cleobrisk", "brisk", "1", "0 before"],
  ];
  expect((await rows())[0]).toEqual(anna);
  expect((await rows()).slice(1).sort()).toEqual([ben, cleo]);
  for (const [tab, names] of [
    ["new 1", ["cleobrisk"]],
    ["rising 1", ["Anna Bergannaanna@acme.exampleAcme Ltd"]],
    ["call these 3", ["benAcme Ltd", "doraquiet", "gusgone"]],
    ["falling 2", ["benAcme Ltd", "doraquiet"]],
    ["silent 1", ["gusgone"]],
  ] as const) {
    await follow(page, tab);
    await expect(page.getByRole("rowheader")).toHaveText([...names]);
    await expect(page.getByRole("cell").last()).toContainText(tab.replace("call these", "silent").split(" ")[0]!);
  }
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "People as CSV" }).click(),
  ]);
  expect(await readFile(await file.path(), "utf8")).toMatch(/"Trend","Health"\r\n.*"silent since \w+ \d+","bad"\r\n/);
  await follow(page, "active 3");
  await follow(page, "average", page.getByRole("row").filter({ hasText: "cleo" }));
  await expect(page.locator(".tabs a")).toHaveText(["active", "new", "rising", "call these"]);
  // All of that health: Dora was active in the time before.
  expect((await rows()).map(([name]) => name).sort()).toEqual([
    "Anna Bergannaanna@acme.exampleAcme Ltd",
    "benAcme Ltd",
    "cleobrisk",
    "doraquiet",
  ]);
  await follow(page, "bad", page.getByText("Health, where you set none"));
  await expect(page.getByRole("rowheader")).toHaveText(["gusgone"]);
  await page.getByRole("link", { name: "Without Health: bad" }).click();
  await settled(page);
  const search = page.getByLabel("Search people");
  for (const text of ["bérg", "ANNA@acme", "anna"]) {
    await search.fill(text);
    await expect(page.getByRole("rowheader")).toHaveText(["Anna Bergannaanna@acme.exampleAcme Ltd"]);
  }
  await search.fill("acme ltd");
  await expect(page.locator("main")).toContainText('No person matches "acme ltd".');
  await follow(page, "Search accounts");
  await expect(page.getByRole("rowheader")).toHaveText(["Acme Ltdacme"]);
  await page.getByLabel("Search accounts").fill("dora");
  await follow(page, "Search people");
  await follow(page, "dora");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("dora");
});

test("The page of an account shows its members, its days and what it did", async ({ page }) => {
  await open(page, "/accounts#span=30d");
  await follow(page, "Acme Ltd");
  expect(page.url()).toMatch(/\/accounts\/[0-9a-f-]{36}#span=30d$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Acme Ltd");
  const traits = page.locator("dl.traits");
  await expect(traits).toHaveText(/uidacme.*, rising: active on .* of the last 14 days.*planteam/);
  await page.getByLabel("7 days").check();
  await expect(traits).toContainText("healthaverage, falling -50%: active on 1 to 4 of the last 14 days");
  await page.getByLabel("30 days").check();
  for (const [name, value] of [
    ["events", "5"],
    ["contacts", "1"],
    ["members", "2"],
  ] as const)
    await expect(tile(page, name)).toHaveText(value);
  const members = () => cells(card(page, "members"));
  const heads = (what: string) => ["Person", `${what} in this time`, "Events of all time", "Last seen"];
  expect(await members()).toEqual([heads("Events"), ["Anna Berganna", "0", "3", "today"], ["ben", "5", "5", "9d ago"]]);
  await expect(card(page, "calendar")).toContainText("Active on 4 of 90 days.");
  await expect(card(page, "calendar").locator("[data-level='4']")).toHaveCount(1);
  await expect(card(page, "time-line").locator(".happened")).toHaveCount(8);
  await follow(page, "report_exported", page.locator("[data-card=events]"));
  await expect(tile(page, "events")).toHaveText("4");
  await expect(card(page, "time-line").locator(".happened")).toHaveCount(4);
  // Who of them does not use it.
  expect(await members()).toEqual([
    heads("report_exported"),
    ["Anna Berganna", "0", "3", "today"],
    ["ben", "4", "5", "9d ago"],
  ]);
});

test("Coming back is told in squares, of accounts and of people", async ({ page }) => {
  await open(page);
  await card(page, "returning").getByLabel("People").check();
  // Anna alone was seen some nine weeks ago, and since then this week.
  const first = card(page, "returning").getByRole("row").nth(1);
  await expect(first.getByRole("cell").first()).toHaveText("1");
  await expect(first.locator(".square")).toHaveCount(8);
});

test("A person is exported and erased with the admin token, which nothing keeps", { tag: "@browser" }, async ({
  page,
  changing,
}) => {
  await changing.post({ contact_uid: "emil@acme", event_uid: "seen", params: { secret: "x" } });
  const { id } = await (await changing.get("/v2/contacts?uid=emil@acme")).json();
  await open(page, `${changing.url}/contacts/${id}`);
  await expect(page.locator(".memberships")).toHaveText("Belongs to no account.");
  await page.getByText("(needs the admin token)").click();
  const token = page.getByLabel("Admin token");
  const said = card(page, "personal").getByRole("status");
  await token.fill(ACCESS_TOKEN);
  await page.getByRole("button", { name: "Export all that is stored" }).click();
  await expect(said).toHaveText("This token is of the kind access: the admin token is wanted.");
  await expect(token).toHaveValue("");
  await token.fill(ADMIN_TOKEN);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export all that is stored" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("emil_acme.json");
  expect(JSON.parse(await readFile(await download.path(), "utf8")).events).toMatchObject([{ params: { secret: "x" } }]);
  const erase = page.getByRole("button", { name: "Erase this person" });
  await expect(erase).toBeDisabled();
  await page.getByLabel("delete the record and all events").check();
  await token.fill(ADMIN_TOKEN);
  const [request] = await Promise.all([page.waitForRequest(/contacts/), erase.click()]);
  // Addresses stand in logs.
  expect(request.url()).not.toContain("emil");
  await expect(page.getByText("This person is erased. Events deleted: 1.")).toBeVisible();
  await expect(page.locator("main")).not.toContainText(/emil|seen|Erase this/);
  await page.reload();
  await expect(page.locator("main").getByRole("status")).toHaveText(
    "Nothing is stored under this address: it was erased, or it never existed.",
  );
  expect(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))).not.toContain(
    ADMIN_TOKEN,
  );
  expect((await changing.get(`/v2/contacts/${id}`)).status).toBe(404);
});

test("One's own are left out by their name or uid, named at the foot of each page, and counted again", async ({
  page,
  changing,
}) => {
  for (const account_uid of ["acme", "ours"])
    await changing.post({ contact_uid: `of-${account_uid}`, event_uid: "seen", params: { account_uid } });
  const active = async () => (await (await changing.get("/v2/numbers/contacts")).json()).active;
  await waitFor(async () => (await active()) === 2, { what: "both to be counted" });
  await open(page, changing.url);
  await follow(page, "Leave your own people out of all figures");
  await expect(page.locator("main")).toContainText("Nobody is left out.");
  const own = card(page, "left-out");
  const act = async (uid: string, button: string) => {
    await page.getByLabel("Name, or uid as your pages send it").fill(uid);
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: button }).click();
  };
  await act("nobody", "Leave this account out");
  await expect(own.getByRole("status")).toHaveText("No account has this name or uid.");
  await act("nobody", "Leave this person out");
  await expect(own.getByRole("status")).toHaveText("No person has this name or uid.");
  await act("OURS", "Leave this account out");
  await expect(own.getByRole("status")).toHaveText(/^Left out: the figures/);
  await expect(own.getByRole("rowheader")).toHaveText(["ours"]);
  await waitFor(async () => (await active()) === 1, { what: "one of them to be left out" });
  for (const path of ["/", "/contacts", "/accounts", "/steps", "/#live", "/questions"]) {
    await page.goto("about:blank");
    await page.goto(changing.url + path);
    await expect(page.locator("[data-left-out]")).toHaveText("Left out of all figures: ours. Change.");
  }
  const { id: whose } = await (await changing.get("/v2/contacts?uid=of-ours")).json();
  await page.goto(`${changing.url}/contacts/${whose}`);
  await expect(page.locator("main")).toContainText("Left out of all figures in ours.");
  await expect(page.locator("[data-tile=events]")).toBeHidden();
  await follow(page, "Change");
  await page.getByRole("button", { name: "Count ours again" }).click();
  await expect(page.getByLabel("Admin token")).toBeFocused();
  await act("", "Count ours again");
  await expect(own.getByRole("status")).toHaveText(/^Counted again/);
  await expect(page.locator("main")).toContainText("Nobody is left out.");
  await waitFor(async () => (await active()) === 2, { what: "both to be counted again" });
  // Until it is so, a page says it, and asks again soon.
  const anew = page.getByText("all figures are being counted anew");
  await page.route(
    "**/v2/numbers/contacts?**",
    async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), changing: true } });
    },
    { times: 1 },
  );
  await page.goto(`${changing.url}/contacts`);
  await expect(anew).toBeVisible();
  await expect(anew).toBeHidden({ timeout: 15_000 });
  await page.goto(`${changing.url}/left-out`);
  await act("of-acme", "Leave this person out");
  await expect(own.getByRole("rowheader")).toHaveText(["of-acme"]);
  const { id } = await (await changing.get("/v2/accounts?uid=acme")).json();
  await page.goto(`${changing.url}/accounts/${id}`);
  await expect(page.locator("[data-tile=members]")).toHaveText("People11 left out");
  await expect(card(page, "members").getByRole("row").nth(1)).toHaveText(/^of-acmeleft outleft outtoday/);
  await expect(tile(page, "last")).toHaveText(/ago|now/);
});

test("The page of a person tells by name what it did in a time, and how it goes above all that it did", async ({
  page,
}) => {
  await open(page, "/contacts#span=30d");
  await follow(page, "ben");
  expect(await cells(card(page, "names"))).toEqual([
    ["Event", "Events", "Last used", "Share", "Change"],
    ["report_exported", "4", "9d ago", "80%", "0 before"],
    ["signed_up", "1", "20d ago", "20%", "0 before"],
    ["=1+1not used in this time", "0", "today", "0%", ""],
  ]);
  await expect(tile(page, "events")).toHaveText("5");
  await expect(tile(page, "all")).toHaveText("6");
  await expect(page.locator("[data-card=personal] ~ [data-card=time-line]")).toHaveCount(1);
  await follow(page, "signed_up", card(page, "names"));
  await expect(tile(page, "events")).toHaveText("1");
  await expect(card(page, "time-line").locator(".happened")).toHaveCount(1);
});

test("An account that is none is marked, left out, and its record deleted", async ({ page, changing }) => {
  for (const account_uid of ["acme", "{{company.id}}"])
    await changing.post({ contact_uid: "emil", event_uid: "seen", params: { account_uid } });
  await waitFor(async () => (await (await changing.get("/v2/numbers/accounts")).json()).active === 2, {
    what: "both to be counted",
  });
  await open(page, `${changing.url}/accounts`);
  await expect(page.getByRole("row").filter({ hasText: "not real: your page sent a placeholder" })).toHaveCount(1);
  await follow(page, "{{company.id}}");
  await expect(card(page, "personal")).toContainText("your page sent a placeholder");
  await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
  await page.getByRole("button", { name: "Leave this account out of all figures" }).click();
  await expect(card(page, "personal").getByRole("status")).toHaveText(/^Left out: the figures/);
  await expect(page.locator("main")).toContainText(
    "Left out of all figures. The events below are stored, but not counted. Count again",
  );
  await expect(card(page, "calendar")).toBeHidden();
  const own = page.url();
  await page.goto(`${changing.url}/accounts#search=company`);
  await expect(page.getByRole("row").nth(1)).toContainText("left out");
  await waitFor(async () => (await (await changing.get("/v2/numbers/accounts")).json()).active === 1, {
    what: "it to be left out",
  });
  await page.goto(own);
  await expect(tile(page, "last")).toHaveText(/ago|now/);
  await expect(card(page, "members").getByRole("row").nth(1)).toHaveText(/^emilleft outleft outtoday/);
  await expect(card(page, "time-line").locator(".happened")).toHaveCount(1);
  await page.getByLabel(/The people and their events are kept/).check();
  await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
  await page.getByRole("button", { name: "Delete its record" }).click();
  await expect(
    page.getByText("This account is deleted. Its events are kept: they belong to the people who did them."),
  ).toBeVisible();
  const { id } = await (await changing.get("/v2/contacts?uid=emil")).json();
  await page.goto(`${changing.url}/contacts/${id}`);
  await expect(page.locator(".memberships")).toHaveText("Belongs to acme");
  await expect(card(page, "time-line").locator(".happened").filter({ hasText: "{{company.id}}" })).toHaveCount(1);
});

test("Who is erased elsewhere is not shown by a page that comes back, and a record without a name says how it gets one", async ({
  page,
  changing,
}) => {
  for (const contact_uid of ["emma", "otto"])
    await changing.post({ contact_uid, event_uid: "seen", params: { account_uid: "brisk" } });
  const { id } = await (await changing.get("/v2/accounts?uid=brisk")).json();
  await open(page, `${changing.url}/accounts/${id}`);
  await expect(page.locator("dl.traits")).toContainText(
    "Your developers can send names to show in place of uids: PUT /v2/accounts?uid=brisk",
  );
  await expect(card(page, "members").getByRole("rowheader")).toHaveCount(2);
  await fetch(`${changing.url}/v2/contacts/erase`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ uid: "emma" }),
  });
  // As it is told of a page out of the back/forward cache, which not every browser under test has.
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await expect(card(page, "members").getByRole("rowheader")).toHaveText(["otto"]);
  await settled(page);
  await expect(page.locator("main")).not.toContainText("emma");
});

test.describe("In New York", () => {
  test.use({ timezoneId: "America/New_York" });

  test("The time zone of whoever has the admin token is that of the figures", async ({ page, changing }) => {
    await open(page, changing.url);
    await expect(page.getByRole("status").first()).toHaveText("No event has come yet.");
    const offer = page.getByText("Your time zone is America/New_York");
    await offer.click();
    await page.getByLabel("Admin token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Count all days again" }).click();
    await expect(offer).toBeHidden();
    expect((await (await changing.get("/v2/numbers")).json()).time_zone).toBe("America/New_York");
  });

  test("Live, too, tells times in the time zone of the workspace", async ({ page, changing }) => {
    await changing.post({ contact_uid: "gina", event_uid: "seen" });
    await page.goto(`${changing.url}/#live`);
    await give(page, ACCESS_TOKEN);
    const time = page.locator("[data-rows] time").first();
    const at = Date.parse((await time.getAttribute("datetime"))!);
    await expect(time).toHaveText(new Date(at).toLocaleTimeString("en-GB", { timeZone: "UTC" }));
  });
});

test.describe("In German, on a phone", () => {
  test.use({ locale: "de-DE", viewport: { width: 390, height: 800 } });

  test("A page has one language, and a list what one came for", async ({ page }) => {
    await open(page, "/accounts");
    await expect(page.locator("main")).not.toContainText(/\bvor\b|gestern|heute|\d\.\d\d\d/);
    await expect(page.getByRole("rowheader", { name: "Acme Ltd" })).toBeVisible();
    const heads = async (...names: string[]) => {
      for (const name of names) await expect(page.getByRole("columnheader", { name })).toBeInViewport({ ratio: 1 });
    };
    await heads("Events", "Change", "Last seen", "Health");
    const fits = (name: string) =>
      expect
        .poll(() => page.getByRole("region", { name }).evaluate((table) => table.scrollWidth - table.clientWidth))
        .toBe(0);
    await fits("Accounts: table");
    const seen = page.getByRole("row").nth(1).getByRole("cell").nth(2);
    await seen.evaluate((cell) => cell.scrollIntoView({ block: "center" }));
    await expect(seen).toBeInViewport({ ratio: 1 });
    await expect(seen).toHaveText(/ago|now|today/);
    await page.goto("/contacts");
    await heads("Events", "Change", "Last seen", "Health");
    await fits("People: table");
    await expect(page.getByRole("row").nth(1)).toBeInViewport();
    const acme = page.getByRole("row").nth(1).getByRole("link", { name: "Acme Ltd" });
    await acme.scrollIntoViewIfNeeded();
    await expect(acme).toBeInViewport({ ratio: 1 });
    await page.goto("/steps#span=30d&first=signed_up&second=report_exported&within=12");
    await card(page, "steps").scrollIntoViewIfNeeded();
    await heads("People", "Share", "Stop here");
    // What has no room says that there is more.
    await page.goto("/#span=30d");
    await expect(page.getByRole("region", { name: "Coming back: table" })).toHaveAttribute("data-wide");
    await expect(card(page, "names").getByText("The other columns are shown on a wider screen")).toBeVisible();
  });

  test("A long name is not cut, and the token is forgotten beside the names of the pages", async ({
    page,
    changing,
  }) => {
    const event_uid = "a_name_that_is_longer_than_what_a_phone_has_room_for";
    await changing.post({ contact_uid: "ann", event_uid });
    await waitFor(async () => (await (await changing.get("/v2/numbers")).json()).events.total === 1, {
      what: "the event to be counted",
    });
    await open(page, changing.url);
    const name = card(page, "names").getByRole("rowheader");
    await expect(name).toHaveText(event_uid);
    expect(await name.locator(".key").evaluate((key) => key.scrollWidth - key.clientWidth)).toBeLessThanOrEqual(0);
    // The bar has more beyond its edge, which a shadow says.
    await expect(page.locator(".bar-inner")).toHaveCSS("background-image", /gradient/);
    const [nav, forget] = [page.locator("nav.pages"), page.getByRole("button", { name: "Log out" })];
    const [of, own] = [(await nav.boundingBox())!, (await forget.boundingBox())!];
    expect(own.y).toBeLessThan(of.y + of.height);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

test("A long history is read to its end, while newer events come in front of it", async ({ page, changing }) => {
  const send = (events: object[]) =>
    fetch(`${changing.url}/v1/track/events?api_token=${encodeURIComponent(API_TOKEN)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(events),
    });
  expect(
    (await send(Array.from({ length: 120 }, (_, at) => ({ contact_uid: "long", event_uid: `step-${at}` })))).status,
  ).toBe(200);
  const { id } = await (await changing.get("/v2/contacts?uid=long")).json();
  await open(page, `${changing.url}/contacts/${id}`);
  const events = card(page, "time-line").locator(".happened");
  // The file has those that are not shown, too.
  await expect(events).toHaveCount(50);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Time line as CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("time-line.csv");
  expect((await readFile(await download.path(), "utf8")).trimEnd().split("\r\n")).toHaveLength(121);
  for (const shown of [50, 100, 120]) {
    await expect(events).toHaveCount(shown);
    if (shown < 120) await page.getByRole("button", { name: "Older events" }).click();
  }
  await changing.post({ contact_uid: "long", event_uid: "newest" });
  // As it is done each minute.
  await page.evaluate(() => dispatchEvent(new HashChangeEvent("hashchange")));
  await expect(events).toHaveCount(121);
  await expect(events.first()).toContainText("newest");
  await expect(page.getByRole("button", { name: "Older events" })).toBeHidden();
});

test("An event's line shows what the page gave, and what the script has added behind a word", async ({
  page,
  changing,
}) => {
  const stamp = { event_id: randomUUID(), event_source: "a-document", event_seq: 7, occurred_at: Date.now() };
  const text = "long ".repeat(50).trim();
  await changing.post({
    contact_uid: "gina",
    event_uid: "seen",
    params: { plan: "team", text, account_uid: "brisk", ...stamp },
  });
  const { id } = await (await changing.get("/v2/contacts?uid=gina")).json();
  await open(page, `${changing.url}/contacts/${id}`);
  const line = card(page, "time-line").locator(".happened");
  await expect(line.getByText("plan: team")).toBeVisible();
  for (const name of ["event_seq", "account_uid"]) await expect(line.getByText(name)).toBeHidden();
  await expect(line.getByText(text)).toBeHidden();
  await line.getByText("more", { exact: true }).click();
  for (const name of Object.keys(stamp)) await expect(line.getByText(name)).toBeVisible();
  await expect(line.getByText(text)).toBeVisible();
  // What arrives late stands where it happened.
  const late = { contact_uid: "gina", event_uid: "late", params: { occurred_at: Date.now() - 2 * 86_400_000 } };
  await changing.post(late);
  await page.evaluate(() => dispatchEvent(new HashChangeEvent("hashchange")));
  await expect(line.locator(".event-name")).toHaveText(["seen", "late"]);
  await expect(line.last()).toContainText("arrived");
  await expect(tile(page, "first")).toHaveText("2d ago");
  await expect(tile(page, "last")).not.toHaveText("2d ago");
});

test("Accounts of which events alone tell stand under one line where they are many", async ({ page, changing }) => {
  for (let at = 0; at < 12; at += 1)
    await changing.post({ contact_uid: "one", event_uid: "seen", params: { account_uid: `account-${at}` } });
  await fetch(`${changing.url}/v2/accounts?uid=account-0`, {
    method: "PUT",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ data: { name: "Known" } }),
  });
  await waitFor(async () => (await (await changing.get("/v2/numbers/accounts")).json()).active === 12, {
    what: "all accounts to be counted",
  });
  await open(page, `${changing.url}/accounts`);
  await expect(page.getByRole("rowheader")).toHaveText(["Knownaccount-0"]);
  await expect(card(page, "accounts")).toContainText("that are known only from their 11 events.");
  await page.getByRole("link", { name: "11 more accounts" }).click();
  await expect(page.getByRole("rowheader")).toHaveCount(11);
  await page.getByRole("link", { name: "The other accounts" }).click();
  await expect(page.getByRole("rowheader")).toHaveText(["Knownaccount-0"]);
});

test("A token for numbers opens the first page, without anybody's name", async ({ page, changing }) => {
  await changing.post({ contact_uid: "known-person", event_uid: "seen", params: { account_uid: "known-account" } });
  const wall = { workspace: "default", name: "wall", kind: "numbers", expiresAt: undefined } as const;
  const token = await createToken(changing.database, wall);
  const headers = { authorization: `Bearer ${token}` };
  await waitFor(async () => (await (await changing.get("/v2/numbers", headers)).json()).events?.total === 1, {
    what: "the event to be counted",
  });
  await page.goto(changing.url);
  await give(page, token);
  await settled(page);
  await expect(tile(page, "events")).toHaveText("1");
  await expect(card(page, "accounts")).toBeHidden();
  await expect(page.locator("nav.pages")).toBeHidden();
  await expect(page.locator("body")).not.toContainText("known-");
});

test("What cannot be shown is told in words, as days in the wrong order in an address", async ({ page }) => {
  await page.goto("/accounts#from=2026-11-20&to=2026-11-01");
  await give(page, ACCESS_TOKEN);
  const wrong = page.getByText("This cannot be shown: from must not be after to.");
  await expect(page.locator(".times").filter({ has: wrong })).toBeVisible();
  await expect(card(page, "accounts")).toBeHidden();
  await page.getByLabel("7 days").check();
  await expect(page.getByRole("rowheader")).toHaveCount(2);
  await page.getByLabel("From", { exact: true }).fill("2026-11-20");
  await page.getByLabel("to", { exact: true }).fill("2026-11-01");
  await page.getByRole("button", { name: "Show days" }).click();
  await expect(wrong).toBeVisible();
  await expect(page.getByRole("rowheader")).toHaveCount(2);
});

test("The pages are walked by keys: a time is chosen, a column sorted, an account opened", async ({ page }) => {
  await open(page, "/accounts");
  await page.locator("[value='7d']").focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("[value='30d']")).toBeChecked();
  await settled(page);
  const tabTo = async (name: string) => {
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate(() => document.activeElement!.textContent)) === name) return;
    }
    throw new Error(`no way by keys to ${name}`);
  };
  await tabTo("Account");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("columnheader", { name: "Account" })).toHaveAttribute("aria-sort", "ascending");
  await expect(page.getByRole("link", { name: "Account", exact: true })).toBeFocused();
  await tabTo("Acme Ltd");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Acme Ltd");
});
