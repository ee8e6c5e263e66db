import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test } from "../harness/fixtures.js";
import { loaded, localise } from "../harness/install.js";
import { createPolicy, watchPolicy } from "../harness/policy.js";

test("Under a strict policy with trusted types the add-ons hear mouse and keys, until they are taken off", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  const { nonce, headers } = createPolicy(gateway.url);
  const violations = await watchPolicy(page, site);
  const blocks = [
    ...(await readmeBlocks("Clicks", "html", "docs/add-ons.md")),
    ...(await readmeBlocks("Time", "html", "docs/add-ons.md")),
  ];
  const html = site.html({ body: `${localise(blocks.join(""), "", "")}<a href="/x" data-track="read">Read</a>` });
  site.page("/", html.replaceAll("<script", `<script nonce="${nonce}"`), { headers });
  await page.goto(site.url);
  await loaded(page);
  const button = page.getByRole("button", { name: "Choose Team" });
  await button.click();
  await button.press("Enter");
  await page.getByRole("link").click({ button: "middle" });
  await page.getByRole("link").click({ button: "right" });
  const rows = await expectRows(["plan_chosen", "plan_chosen", "read"]);
  expect(rows.find(({ event_uid }) => event_uid === "plan_chosen")!.params).toEqual({ plan: "team", seat_count: "5" });
  await page.evaluate("trackletClicks(); trackletActive()");
  await button.click();
  const names = ({ event_uid }: { event_uid: string }) => event_uid !== "page_active";
  await expectRows((stored) => expect(stored.filter(names)).toHaveLength(3));
  expect(violations.events).toEqual([]);
  expect(violations.reports()).toBe(0);
});
