import { expect, test } from "./fixtures.js";
import { send } from "./plain.js";

/* The harness itself, second part: browsers of a test's own, the website, and the guard over its pages. */

test.beforeEach(({ site, contact }) => {
  const plain = site.html({ tag: false, body: `<script>var contact = ${JSON.stringify(contact)}</script>` });
  site.page("/", plain);
  site.page("/next", plain);
});

test.describe("the browser", () => {
  test("closed and launched again on its profile, it remembers what pages stored", async ({ site, launch }) => {
    const first = await launch();
    await first.page.goto(site.url);
    await first.page.evaluate(() => localStorage.setItem("kept", "yes"));
    await first.close();
    const second = await launch({ profile: first.profile });
    await second.page.goto(site.url);
    expect(await second.page.evaluate(() => localStorage.getItem("kept"))).toBe("yes");
  });

  test("killed, it is gone at once, and its profile can be used again", async ({ site, launch }) => {
    const first = await launch();
    await first.page.goto(site.url);
    await first.kill();
    const second = await launch({ profile: first.profile });
    await second.page.goto(site.url);
    expect(await second.page.title()).toBe("A page");
  });

  test("a killed renderer takes its page only, and what its last task stored stays", async ({ site, launch }) => {
    const { context, page, killRenderer, rendererPid } = await launch();
    const other = await context.newPage();
    await Promise.all([page.goto(site.url), other.goto(site.url)]);
    expect(await rendererPid(page)).not.toBe(await rendererPid(other));
    await page.evaluate(() => localStorage.setItem("last words", "stored"));
    await killRenderer(page);
    expect(await other.evaluate(() => localStorage.getItem("last words"))).toBe("stored");
  });

  test("a page comes back from the back/forward cache when asked for", async ({ site, launch }) => {
    const { page } = await launch({ backForwardCache: true });
    await page.goto(site.url);
    await page.evaluate(() => {
      addEventListener("pageshow", ({ persisted }) => {
        window.persisted = persisted;
      });
    });
    await page.goto(`${site.url}/next`);
    await page.evaluate(() => history.back());
    // A restored page fires no load event: only its address tells.
    await page.waitForURL(`${site.url}/`, { waitUntil: "commit" });
    await expect.poll(() => page.evaluate(() => window.persisted)).toBe(true);
  });

  test("closing a tab runs its last listeners, which may send", async ({
    context,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    const uids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const tab = await context.newPage();
      await tab.goto(site.url);
      // A simple request: what leaves at exit has no time for a preflight to be part of this proof.
      await tab.evaluate(
        ([url, body]) => addEventListener("pagehide", () => navigator.sendBeacon(url!, body)),
        [
          `${gateway.url}/v1/track/event?api_token=demo-api-token`,
          JSON.stringify({ contact_uid: contact, event_uid: `bye-${i}`, params: {} }),
        ],
      );
      uids.push(`bye-${i}`);
      await tab.close();
    }
    await expectRows(uids);
  });

  test("other hosts of the site are other origins, with and without a secure context", async ({ page, site }) => {
    const secure = () => page.evaluate(() => [location.origin, isSecureContext]);
    await page.goto(site.url);
    expect(await secure()).toEqual([site.url, true]);
    await page.goto(site.at("localhost"));
    expect(await secure()).toEqual([site.at("localhost"), true]);
    await page.goto(site.at("shop.test"));
    expect(await secure()).toEqual([site.at("shop.test"), false]);
  });
});

test.describe("the site", () => {
  test("pages carry the test's own tags and headers", async ({ page, site, gateway, contact, guard }) => {
    site.page("/strict", site.html({ tag: { stamp: true, contactUid: "someone", attributes: { nonce: "abc" } } }), {
      headers: { "content-security-policy": "script-src 'nonce-other'" },
    });
    const response = await page.goto(`${site.url}/strict`);
    expect(response?.headers()["content-security-policy"]).toBe("script-src 'nonce-other'");
    const tag = page.locator("script[src]");
    await expect(tag).toHaveAttribute("data-track-url", gateway.url);
    await expect(tag).toHaveAttribute("data-contact-uid", "someone");
    expect(await page.content()).toContain(`.push(["identify", "${contact}"])`);
    await expect(tag).toHaveAttribute("data-stamp", "true");
    await expect(tag).toHaveAttribute("data-api-token", "demo-api-token");
    await expect.poll(() => guard.browserMessages.length, "the policy refused the script").toBeGreaterThan(0);
  });

  test("errors, rejections and console.error are told, browsers' messages are not", async ({
    page,
    site,
    gateway,
    guard,
  }) => {
    await page.goto(site.url);
    await gateway.during("refuse", () => send(page, gateway, "refused"));
    await expect.poll(() => guard.browserMessages.length).toBeGreaterThan(0);
    expect(guard.objections()).toEqual([]);

    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error("thrown later");
      });
      void Promise.reject(new Error("rejected"));
      console.error("said");
    });
    await expect.poll(() => guard.reports.length).toBe(3);
    expect(guard.objections().join()).toMatch(/thrown later/);
    expect(guard.objections().join()).toMatch(/rejected/);
    expect(guard.objections().join()).toMatch(/said/);
    guard.allow(/thrown later|rejected/);
    expect(guard.objections()).toHaveLength(1);
    guard.allow();
    expect(guard.objections()).toEqual([]);
  });
});
