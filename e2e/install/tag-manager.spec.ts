import { readFile } from "node:fs/promises";
import type { Page } from "playwright/test";
import { readmeBlocks } from "../../test/support/readme.js";
import { grantsOf, parseTemplate } from "../../test/support/tag-manager.js";
import { test as base, expect, track } from "../harness/fixtures.js";
import { judge } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";
import { fireHtml, fireTemplate } from "../harness/tag-manager.js";

/* The files for tag managers, injected as Google Tag Manager injects: late, without attributes, and again and again. */

const read = (name: string) => readFile(new URL(`../../demo/tag-manager/${name}`, import.meta.url), "utf8");

type Options = Record<string, string>;

interface Fixtures {
  /** Fires the tag that configures and loads tracklet. */
  fire: (page: Page, options?: Options) => Promise<unknown>;
}

/** Each file with the addresses of the test, as somebody fills them in. */
const WAYS: Record<
  string,
  (options: Options, cdn: string) => Promise<(page: Page, more: Options) => Promise<unknown>>
> = {
  "Custom HTML tag": async ({ apiToken, trackUrl }, cdn) => {
    const html = (await read("custom-html.html"))
      .replace("YOUR_API_TOKEN", apiToken!)
      .replace("https://track.example.com", trackUrl!)
      .replace("https://cdn.example.com", cdn);
    return (page, more) =>
      fireHtml(
        page,
        html.replace(
          /(apiToken:)/,
          `${Object.entries(more)
            .map(([name, value]) => `${name}: "${value}", `)
            .join("")}$1`,
        ),
      );
  },
  template: async (options, cdn) => {
    const { code, ...rest } = parseTemplate((await read("tracklet.tpl")).replaceAll("https://cdn.example.com", cdn));
    const data = { verb: "init", scriptUrl: `${cdn}/tracklet.iife.js`, ...options };
    return (page, more) => fireTemplate(page, code, grantsOf({ code, ...rest }), { ...data, ...more });
  },
};

for (const [way, prepare] of Object.entries(WAYS)) {
  const test = base.extend<Fixtures>({
    fire: async ({ site, gateway, contact }, use) => {
      for (const path of ["/", "/shop", "/next"]) site.page(path, site.html({ tag: false, identify: false }));
      const tag = await prepare({ apiToken: DEMO_TOKEN, trackUrl: gateway.url }, `${site.at("localhost")}/dist`);
      await use((page, options = {}) => tag(page, { contactUid: contact, ...options }));
    },
  });
  const views = (url: string, paths: string[]) => paths.map((path) => `pageview ${url}${path}`);
  const by = ({ event_uid, params }: { event_uid: string; params: { visit_url?: unknown } }) =>
    [event_uid, params.visit_url].filter(Boolean).join(" ");

  test(`Fired by a ${way}, late, thrice and at each change of the history, there is one tracker, and one view each`, async ({
    page,
    site,
    gateway,
    fire,
    expectRows,
  }) => {
    await page.goto(`${site.url}/shop`);
    await track(page, "early");
    await Promise.all([fire(page), fire(page), fire(page)]);
    await track(page, "late");
    const expected = ["early", "late", ...views(site.url, ["/shop"])];
    await expectRows(expected, { by });
    for (const path of ["/shop/shoes", "/shop/shoes/red"]) {
      await page.evaluate((url) => history.pushState(null, "", url), path);
      await fire(page);
      await judge(page);
    }
    expected.push(...views(site.url, ["/shop/shoes", "/shop/shoes/red"]));
    await expectRows(expected, { by });
    expect(gateway.posts()).toHaveLength(expected.length);
  });
}

base("The documents show the Custom HTML tag as it is", async () => {
  expect(await readmeBlocks("Tag manager", "html")).toEqual([await read("custom-html.html")]);
});
