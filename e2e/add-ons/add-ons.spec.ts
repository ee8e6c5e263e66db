import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test } from "../harness/engines.js";
import { waitFor } from "../harness/fixtures.js";
import { localise } from "../harness/install.js";
import { goBack, leaveBy, type Tab, WATCH_SHOW } from "../harness/tab.js";

/*
 * The add-ons as the documents tell to paste them: what a browser decides. Their rules: test/unit/add-ons; how engines leave
 * a page: delivery/leaving.spec.ts.
 */

/** The example of this section, with the site's addresses. */
const example = async (section: "Clicks" | "Time"): Promise<string> =>
  localise((await readmeBlocks(section, "html", "docs/add-ons.md"))[0]!, "", "");

test("What is clicked or submitted while the page is left arrives: link, form, another tab, download, another host", async ({
  open,
  site,
  expectRows,
}) => {
  // So each event has what the add-on has given it.
  site.configure({ stamp: false });
  const other = `${site.at("localhost")}/next`;
  const body = `${await example("Clicks")}
      <a id="link" href="/next" data-track="link">Next</a>
      <form data-track="form" action="/next"><input name="q" value="typed"><button id="form">Go</button></form>
      <a id="blank" href="/next" target="_blank" data-track="blank">Another tab</a>
      <a id="file_downloaded" href="/notes.txt?signature=secret" download>Notes</a>
      <a id="link_clicked" href="${other}?token=secret#part">Another host</a>`;
  site.page("/", { body });
  site.page("/notes.txt", "notes", { headers: { "content-disposition": "attachment" } });
  const tab = await open();
  const uids = ["link", "form", "blank", "file_downloaded", "link_clicked"];
  for (const [index, uid] of uids.entries()) {
    await tab.goto(`${site.url}/`);
    await tab.click(`#${uid}`);
    await expectRows(uids.slice(0, index + 1));
  }
  const rows = await expectRows(uids);
  expect(Object.fromEntries(rows.map(({ event_uid, params }) => [event_uid, params]))).toEqual({
    link: {},
    form: {},
    blank: {},
    file_downloaded: { link_url: `${site.url}/notes.txt` },
    link_clicked: { link_url: other },
  });
});

/** How long somebody stays at a page, and away from it. */
const STAY_MS = 1_000;

const stay = async (tab: Tab): Promise<void> => {
  const until = (await tab.evaluate<number>("performance.now()")) + STAY_MS;
  await waitFor(async () => (await tab.evaluate<number>("performance.now()")) > until, { what: "the stay to end" });
};

test("The time at a page arrives when it is left, and that in the back/forward cache is not counted", {
  tag: "@browser",
}, async ({ open, site, expectRows }) => {
  site.page("/", { head: WATCH_SHOW + (await example("Time")), body: "<button>Here</button>" });
  site.page("/bare", { tag: false });
  let seenMs = -Date.now();
  const tab = await open("/?token=secret");
  await tab.click("button");
  await stay(tab);
  await leaveBy(tab, `location.assign("/bare")`);
  seenMs += Date.now();
  await expectRows(["page_active"]);
  await stay(tab);
  seenMs -= Date.now();
  await goBack(tab);
  await tab.evaluate(`dispatchEvent(new Event("pointermove")); undefined`);
  await stay(tab);
  await leaveBy(tab, `location.assign("/bare")`);
  seenMs += Date.now();
  const rows = await expectRows(["page_active", "page_active"]);
  expect(rows.map(({ params }) => params.visit_url)).toEqual([`${site.url}/`, `${site.url}/`]);
  const times = rows.map(({ params }) => Number(params.active_time));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(STAY_MS / 1_000);
  expect(times[0]! + times[1]!).toBeLessThanOrEqual(seenMs / 1_000);
});
