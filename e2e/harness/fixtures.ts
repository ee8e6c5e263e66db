import { randomUUID } from "node:crypto";
import { test as base, type Page } from "playwright/test";
import { type Service, serviceAt } from "../../test/support/service.js";
import { SERVICE_URL } from "./global-setup.js";
import { createGuard, type Guard } from "./guard.js";
import { type FaultProxy, startProxy } from "./proxy.js";
import { createRows } from "./rows.js";
import { type Html, type PageOptions, type Site, startSite } from "./site.js";

type Rows = ReturnType<typeof createRows>;

export interface TestFixtures {
  /** A contact of this test alone, so that its rows are the test's own. */
  contact: string;
  /** Whether the fault proxy keeps connections, as services do, see its options. */
  keepConnections: boolean;
  /** Whether site and proxy speak HTTP/2 with TLS: a project says so. */
  isSecure: boolean;
  /** The fault proxy before the service, on a port of its own. (`proxy` is a setting of the runner itself.) */
  gateway: FaultProxy;
  /** The website with the script tag, which points to the gateway and identifies as `contact`. */
  site: Site;
  /** Opens a tab at a path of the site, which shows this page, when one is given; the snippet runs when it is resolved. */
  open: (path?: string, page?: Html, options?: PageOptions) => Promise<Page>;
  /** Collects page errors and `console.error`; the test fails at its end if there were any that it has not allowed. */
  guard: Guard;
  /** The rows of `contact` in the service's database, in the order of their storing. */
  rows: Rows["rows"];
  /** Waits for rows and says whether exactly the expected ones are stored. */
  expectRows: Rows["expectRows"];
  /** Both of the above, and what came after the last `expectRows`. */
  database: Rows;
}

export interface WorkerFixtures {
  /** The service, one for all workers of a run. */
  service: Service;
}

export { expect } from "playwright/test";
export { waitFor } from "../../test/support/wait.js";
export type { Fault } from "./fault.js";
export { track, trackMany } from "./track.js";

export const test = base.extend<TestFixtures, WorkerFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
  service: [({}, use) => use(serviceAt(process.env[SERVICE_URL]!)), { scope: "worker" }],

  // biome-ignore lint/correctness/noEmptyPattern: as above
  contact: async ({}, use) => {
    await use(`contact-${randomUUID()}`);
  },

  keepConnections: [false, { option: true }],

  isSecure: [false, { option: true }],

  gateway: async ({ service, keepConnections, isSecure }, use) => {
    const gateway = await startProxy({ target: service.url, keepConnections, isSecure });
    await use(gateway);
    await gateway.close();
  },

  site: async ({ gateway, contact, isSecure }, use) => {
    const site = await startSite({ tag: { trackUrl: gateway.url }, contact, isSecure });
    await use(site);
    await site.close();
  },

  open: ({ context, site }, use) =>
    use(async (path = "/", content, options) => {
      if (content !== undefined) site.page(new URL(path, site.url).pathname, content, options);
      const page = await context.newPage();
      await page.goto(site.url + path);
      return page;
    }),

  guard: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use, testInfo) => {
      const guard = createGuard();
      await use(guard);
      const objections = guard.objections();
      // A test that has failed already keeps its own message.
      if (objections.length > 0 && testInfo.status === testInfo.expectedStatus)
        throw new Error(`errors in the page:\n${objections.join("\n")}`);
    },
    { auto: true },
  ],

  // Named for its order: pages are closed before the rows are looked at for the last time.
  context: async ({ context, guard, database: _ }, use) => {
    guard.watch(context);
    await use(context);
  },

  database: async ({ service, gateway, contact }, use, testInfo) => {
    const database = createRows(service, gateway, contact);
    await use(database);
    const objection = testInfo.status === testInfo.expectedStatus ? await database.latecomers() : undefined;
    if (objection) throw new Error(objection);
  },
  rows: ({ database }, use) => use(database.rows),
  expectRows: ({ database }, use) => use(database.expectRows),
});
