import type { Page } from "playwright/test";
import { expect, test, trackMany } from "../harness/fixtures.js";
import { open, run } from "../harness/install.js";

/* One person in two accounts, a tab for each. */

test("Two tabs with different accounts: each tab's events carry its own", async ({
  context,
  site,
  contact,
  expectRows,
}) => {
  site.page("/", site.html({ identify: false }));
  const identified = async (account: string): Promise<Page> => {
    const page = await open(await context.newPage(), site.url);
    await run(page, `tracklet.identify(${JSON.stringify(contact)}, ${JSON.stringify(account)})`);
    return page;
  };
  const acme = await identified("acme");
  const globex = await identified("globex");
  const uids = [await trackMany(acme, 50, "acme"), await trackMany(globex, 50, "globex")].flat();
  const rows = await expectRows(uids);
  const strayed = rows.filter(({ event_uid, params }) => params.account_uid !== event_uid.split("-")[0]);
  expect(
    strayed.map(({ event_uid, params }) => [event_uid, params.account_uid]),
    "events with another account",
  ).toEqual([]);
});
