import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright/test";
import { build } from "vite";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test, track } from "../harness/fixtures.js";
import { loaded, localise } from "../harness/install.js";
import type { Site } from "../harness/site.js";
import { eventKeys, runAndGo, type Tab } from "../harness/tab.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The documents' recipes, with the platforms' packages, or with a page that makes the calls which a standard documents. */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** One script of a module and all that it imports, whose exports are members of the global `app`. */
const bundle = async (code: string): Promise<string> => {
  const entry = `${ROOT}entry.js`;
  const plugin = {
    name: "entry",
    resolveId: (id: string) => (id === entry ? id : undefined),
    load: (id: string) => (id === entry ? code : undefined),
  };
  const [built] = (await build({
    root: ROOT,
    configFile: false,
    logLevel: "error",
    plugins: [plugin],
    resolve: { alias: { tracklet: `${ROOT}dist/index.js` } },
    build: { write: false, lib: { entry, formats: ["iife"], name: "app" } },
  })) as { output: { code: string }[] }[];
  return built!.output[0]!.code;
};

/** A platform of Consent Mode, which remembers the choice itself. */
const CONSENT_MODE = `
  const gtag = function () { dataLayer.push(arguments); };
  gtag("consent", "default", { analytics_storage: "denied", wait_for_update: 500 });
  const update = () => localStorage.choice && gtag("consent", "update", { analytics_storage: localStorage.choice });
  const choose = (choice) => { localStorage.choice = choice; update(); };
  dataLayer.push({ event: "page" });
  update();`;

/** A platform of TCF, made of the IAB's own library. */
const TCF = `
  import { CmpApi } from "@iabtechlabtcf/cmpapi";
  import { GVL, TCModel, TCString } from "@iabtechlabtcf/core";
  const purposes = Object.fromEntries([1, 8].map((id) => [id, { id, name: "", description: "", illustrations: [] }]));
  const none = { features: {}, specialFeatures: {}, specialPurposes: {}, stacks: {}, vendors: {}, dataCategories: {} };
  const list = { gvlSpecificationVersion: 3, vendorListVersion: 1, tcfPolicyVersion: 4, lastUpdated: "2026-01-01", purposes };
  const platform = new CmpApi(2, 1, true);
  export const choose = (isGranted) => {
    const model = Object.assign(new TCModel(new GVL({ ...list, ...none })), { cmpId: 2, cmpVersion: 1 });
    if (isGranted) model.purposeConsents.set([1, 8]);
    platform.update(localStorage.choice = TCString.encode(model));
  };
  platform.update(localStorage.choice ?? "", !localStorage.choice);`;

interface Platform {
  /** Of `demo/recipes/consent`. */
  file: string;
  /** Files of packages that the recipe asks the site for. */
  files?: Record<string, string>;
  /** The page's scripts, in this order, of the recipe. */
  scripts?: (recipe: string) => Promise<string>;
  /** What the visitor does, as statements. */
  choose: (isGranted: boolean) => string;
}

const inline = (code: string): string => `<script>${code}</script>`;

const PLATFORMS: Platform[] = [
  {
    file: "klaro.html",
    files: { "/klaro.js": "klaro/dist/klaro.js" },
    choose: (isGranted) =>
      `const manager = klaro.getManager(); manager.changeAll(${isGranted}); manager.saveAndApplyConsents()`,
  },
  {
    file: "cookieconsent.html",
    files: {
      "/cookieconsent.umd.js": "vanilla-cookieconsent/dist/cookieconsent.umd.js",
      "/cookieconsent.css": "vanilla-cookieconsent/dist/cookieconsent.css",
    },
    choose: (isGranted) => `CookieConsent.acceptCategory(${isGranted ? '"all"' : "[]"})`,
  },
  {
    file: "c15t.js",
    // As a module, which runs once the page is read.
    scripts: async (recipe) => `<script type="module">${await bundle(recipe)}; window.app = app</script>`,
    choose: (isGranted) => `app.consentStore.getState().saveConsents("${isGranted ? "all" : "necessary"}")`,
  },
  {
    file: "consent-mode.html",
    scripts: async (recipe) => recipe + inline(CONSENT_MODE),
    choose: (isGranted) => `choose("${isGranted ? "granted" : "denied"}")`,
  },
  {
    file: "tcf.html",
    scripts: async (recipe) => inline(await bundle(TCF)) + recipe,
    choose: (isGranted) => `app.choose(${isGranted})`,
  },
];

/** A recipe with the addresses of the test, for a contact, without page views. */
const placed = (code: string, contact: string, trackUrl: string): string => {
  const own = `consent: "pending", pageviews: "off", contactUid: "${contact}"`;
  return localise(code.replace(/consent: "pending"/, own), DEMO_TOKEN, trackUrl);
};

/** A tab of the site in which the snippet runs. */
const openLoaded = async (context: BrowserContext, { url }: Site): Promise<Page> => {
  const tab = await context.newPage();
  await tab.goto(url);
  await loaded(tab);
  return tab;
};

/** What can be done now has been done when it resolves. */
const flush = (tab: Tab) => tab.evaluate("tracklet.flush()");

for (const { file, files = {}, scripts = async (recipe: string) => recipe, choose } of PLATFORMS)
  test(`By ${file}, nothing leaves before the choice, what waits then, and nothing after it is taken back, in both tabs`, async ({
    context,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const recipe = await readFile(`${ROOT}demo/recipes/consent/${file}`, "utf8");
    const [start] = await readmeBlocks("A consent platform", "html");
    const place = (code: string) => placed(code, contact, gateway.url);
    const head = (file.endsWith(".html") ? place(start!) : "") + (await scripts(place(recipe)));
    site.page("/", { tag: false, identify: false, head });
    for (const [path, packaged] of Object.entries(files))
      site.page(path, await readFile(`${ROOT}node_modules/${packaged}`, "utf8"));
    const open = () => openLoaded(context, site);

    const [tab, other] = [await open(), await open()];
    await track(tab, "waits");
    await track(other, "waits too");
    await Promise.all([flush(tab), flush(other)]);
    expect([...gateway.posts(), ...(await eventKeys(tab))]).toEqual([]);

    await runAndGo(tab, choose(true));
    await expectRows(["waits", "waits too"]);
    await tab.reload();
    await loaded(tab);
    await track(tab, "granted");
    const stored = ["waits", "waits too", "granted"];
    await expectRows(stored);

    // A platform may load the page anew now.
    await runAndGo(tab, choose(false));
    const consents = () => Promise.all([tab, other].map((one) => one.evaluate("tracklet.consent?.()").catch(() => {})));
    await expect.poll(consents).toEqual(["denied", "denied"]);
    await loaded(tab);
    for (const one of [tab, other]) await track(one, "refused");
    const last = await open();
    await track(last, "refused on another page");
    for (const one of [tab, other, last]) await flush(one);
    await expectRows(stored);
  });

for (const first of ["Allow", "Refuse"])
  test(`With the banner of the documents, ${first} and each other button does what it says, in whichever tab the visitor has chosen`, async ({
    context,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const [banner] = await readmeBlocks("A banner", "html", "docs/consent.md");
    const [change] = await readmeBlocks("Change my choice", "html", "docs/consent.md");
    const recipe = placed(banner! + change!, contact, gateway.url);
    site.page("/", { tag: false, identify: false, body: recipe });
    const [tab, other] = [await openLoaded(context, site), await openLoaded(context, site)];
    const button = (one: Page, name: string) => one.getByRole("button", { name, exact: true });
    /** In both tabs the banner is closed then, and the other button offers the other choice. */
    const press = async (one: Page, name: string, next: string) => {
      await button(one, name).click();
      for (const each of [tab, other]) {
        await expect(button(each, next)).toBeVisible();
        await expect(button(each, "Allow")).toBeHidden();
      }
    };

    await track(tab, "waits");
    expect([...gateway.posts(), ...(await eventKeys(tab))]).toEqual([]);
    const waited = first === "Allow" ? ["waits"] : [];
    await press(other, first, first === "Allow" ? "Stop this" : "Allow this");
    await expectRows(waited);
    if (first === "Allow") await press(tab, "Stop this", "Allow this");
    await other.reload();
    await loaded(other);
    await press(other, "Allow this", "Stop this");
    await track(other, "allowed");
    await expectRows([...waited, "allowed"]);
    await press(tab, "Stop this", "Allow this");
    for (const one of [tab, other]) await track(one, "refused");
    for (const one of [tab, other]) await flush(one);
    await expectRows([...waited, "allowed"]);
  });
