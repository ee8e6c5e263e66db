import { test as base, expect, type Locator, type Page } from "playwright/test";
import { createGuard, type Guard } from "../../../e2e/harness/guard.js";
import { watchPolicy } from "../../../e2e/harness/policy.js";
import { ACCESS_TOKEN, type RunningService } from "../../../test/service/support/service.js";
import { type PastEvent, startFilled } from "./filled-service.js";

/* The pages of the service as they were built, for an owner with the access token, before a real service whose figures are known. */

export const ADMIN_TOKEN = "test-admin-token";

const shop = (path: string) => ({ visit_url: `https://shop.example${path}` });
const times = (count: number, event: PastEvent): PastEvent[] =>
  Array.from({ length: count }, (_, at) => ({ ...event, days: event.days === 0 ? 0 : event.days + at / 1e7 }));

/** Acme falls in the last seven days, Quiet has nothing there, Brisk is new, and Gone is silent. */
const EVENTS: PastEvent[] = [
  { days: 60, contact: "anna", account: "acme", name: "old" },
  { days: 40, contact: "gus", account: "gone", name: "old" },
  { days: 20, contact: "ben", account: "acme", name: "signed_up" },
  ...times(4, { days: 9, contact: "ben", account: "acme", name: "report_exported" }),
  ...times(2, { days: 8, contact: "dora", account: "quiet", name: "pageview", params: shop("/b") }),
  { days: 3, contact: "cleo", account: "brisk", name: "pageview", params: shop("/b") },
  {
    days: 0,
    contact: "anna",
    account: "acme",
    name: "pageview",
    params: { ...shop("/a"), referrer: "https://search.example/" },
  },
  { days: 0, contact: "anna", account: "acme", name: "pageview", params: shop("/a?x=1") },
  { days: 0, contact: "ben", name: "=1+1" },
];
const RECORDS = {
  "accounts?uid=acme": { data: { name: "Acme Ltd", plan: "team" } },
  "contacts?uid=anna": { data: { name: "Anna Berg", email: "anna@acme.example" } },
};

/** A service whose figures are known. */
export const startKnown = async () => {
  const service = await startFilled(EVENTS, { adminToken: ADMIN_TOKEN });
  for (const [record, traits] of Object.entries(RECORDS)) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    await fetch(`${service.url}/v2/${record}`, { method: "PUT", headers, body: JSON.stringify(traits) });
  }
  return service;
};

export const test = base.extend<
  { guard: Guard; changing: Awaited<ReturnType<typeof startFilled>> },
  { service: RunningService }
>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
    async ({}, use) => {
      const service = await startKnown();
      await use(service);
      await service.stop();
    },
    { scope: "worker" },
  ],
  // For who stores or erases: the figures of `service` stay as they are known, whichever test comes next.
  changing: async ({ context }, use) => {
    const service = await startFilled([], { adminToken: ADMIN_TOKEN });
    await use(service);
    // What a page still asks of a service that stops is refused, which the browser would tell.
    for (const page of context.pages()) await page.close();
    await service.stop();
  },
  guard: [
    async ({ context, page }, use) => {
      const guard = createGuard();
      guard.watch(context);
      const violations = await watchPolicy(page);
      await use(guard);
      expect(violations.events, "breaches of the policy").toEqual([]);
      expect(guard.objections(), "errors in the page").toEqual([]);
      expect(
        guard.browserMessages.filter((text) => !/40[014]/.test(text)),
        "what the browser says",
      ).toEqual([]);
    },
    { auto: true },
  ],
  baseURL: ({ service }, use) => use(service.url),
});

export const field = (page: Page) => page.getByLabel("Access token");
export const tile = (page: Page, name: string) => page.locator(`[data-tile=${name}] .value`);
export const card = (page: Page, name: string) => page.locator(`[data-card=${name}]`);
export const cells = (within: Locator) =>
  within
    .getByRole("row")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent)));

export const give = async (page: Page, token: string) => {
  await field(page).fill(token);
  await page.getByRole("button", { name: "Show the numbers" }).click();
};
/** Everything that was asked for is there. */
export const settled = (page: Page) => expect(page.locator(".numbers-view")).toHaveAttribute("aria-busy", "false");
export const open = async (page: Page, path = "/") => {
  await page.goto(path);
  await give(page, ACCESS_TOKEN);
  await settled(page);
};
