import { readFile } from "node:fs/promises";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test, track } from "../harness/fixtures.js";
import { judge, localise } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The Custom HTML tag for tag managers. The template: unit/tag-manager. */

const HTML = await readFile(new URL("../../demo/tag-manager/custom-html.html", import.meta.url), "utf8");

test("Fired by a tag manager, late, thrice and at each change of the history, there is one tracker, and one view each", async ({
  open,
  gateway,
  contact,
  site,
  expectRows,
}) => {
  const page = await open("/shop", { tag: false, identify: false });
  const html = localise(HTML, DEMO_TOKEN, gateway.url).replace(
    "apiToken:",
    `contactUid: "${contact}", stamp: false, apiToken:`,
  );
  /** As Google Tag Manager does: scripts are made anew, with nothing of their attributes but the address. */
  const fire = () =>
    page.evaluate((markup) => {
      const template = document.createElement("template");
      template.innerHTML = markup;
      for (const { src, text } of template.content.querySelectorAll("script"))
        document.body.append(Object.assign(document.createElement("script"), src ? { src } : { text }));
    }, html);
  await track(page, "early");
  await Promise.all([fire(), fire(), fire()]);
  await track(page, "late");
  const expected = ["early", "late", `pageview ${site.url}/shop`];
  const by = ({ event_uid, params }: { event_uid: string; params: { visit_url?: unknown } }) =>
    [event_uid, params.visit_url].filter(Boolean).join(" ");
  await expectRows(expected, { by });
  for (const path of ["/shop/shoes", "/shop/shoes/red"]) {
    await page.evaluate((url) => history.pushState(null, "", url), path);
    await fire();
    await judge(page);
    expected.push(`pageview ${site.url}${path}`);
  }
  await expectRows(expected, { by });
  expect(gateway.posts()).toHaveLength(expected.length);
});

test("The documents show the Custom HTML tag as it is", async () => {
  expect(await readmeBlocks("Tag manager", "html")).toEqual([HTML]);
});
