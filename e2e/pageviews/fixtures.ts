import { test as base, expect } from "../harness/fixtures.js";

export { expect } from "../harness/fixtures.js";
export { judge, run } from "../harness/install.js";

/** How the tracker learns of navigations: the browser's Navigation API, or wrapped methods of `history`. */
export type Means = "navigation" | "wrapping";
export const MEANS: readonly Means[] = ["navigation", "wrapping"];

interface ViewFixtures {
  means: Means;
  /**
   * Waits for rows and asserts that exactly these page views are stored, in the order of their tracking (requests run
   * beside each other, so that of storing tells nothing). A URL without its origin is one of the site.
   */
  expectViews: (urls: readonly string[]) => Promise<void>;
}

/** Counts page views by the script tag; events bear their time and their number, by which they are put in order. */
export const test = base.extend<ViewFixtures>({
  means: ["navigation", { option: true }],

  context: async ({ context, means }, use) => {
    if (means === "wrapping") await context.addInitScript("delete window.navigation; delete window.Navigation;");
    await use(context);
  },

  site: async ({ site }, use) => {
    site.configure({ pageviews: "auto", stamp: true });
    await use(site);
  },

  expectViews: async ({ expectRows, site }, use) => {
    const pathOf = (params: Record<string, unknown>) => String(params.visit_url).replace(site.url, "");
    const orderOf = ({ occurred_at, event_seq }: Record<string, unknown>) =>
      Number(occurred_at) + Number(event_seq) / 1_000;
    await use(async (urls) => {
      const rows = await expectRows(urls, { by: ({ params }) => pathOf(params) });
      const inOrder = rows.toSorted((a, b) => orderOf(a.params) - orderOf(b.params));
      expect(
        inOrder.map(({ params }) => pathOf(params)),
        "page views in their order",
      ).toEqual(urls);
      expect(new Set(rows.map(({ event_uid }) => event_uid))).toEqual(new Set(["pageview"]));
    });
  },
});
