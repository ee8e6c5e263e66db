import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "../harness/fixtures.js";
import { findings, panel } from "../harness/inspector.js";
import { createPolicy } from "../harness/policy.js";

/** A click at the browser's own button grants the tab, which no driver can do: here the manifest grants the site. */
test(
  "The extension's button opens the inspector on a page whose policy lets nothing in",
  {
    tag: "@browser",
  },
  async ({ playwright, site, gateway }, info) => {
    const folder = info.outputPath("extension");
    await cp("demo/extension", folder, { recursive: true });
    await cp("dist/tracklet.inspector.js", join(folder, "tracklet.inspector.js"));
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    await writeFile(
      join(folder, "manifest.json"),
      JSON.stringify({ ...manifest, host_permissions: ["http://127.0.0.1/*"] }),
    );

    const { launchOptions } = info.project.use;
    const args = [
      ...(launchOptions?.args ?? []),
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ];
    const profile = info.outputPath("profile");
    const context = await playwright.chromium.launchPersistentContext(profile, { ...launchOptions, args });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    const { nonce, headers } = createPolicy(gateway.url);
    site.page("/shop", { tag: { attributes: { nonce }, contactUid: "clara" }, identify: false }, { headers });
    const page = await context.newPage();
    await page.goto(`${site.url}/shop`);
    await worker.evaluate(`chrome.tabs.query({ active: true }).then(([tab]) => chrome.action.onClicked.dispatch(tab))`);
    await expect(panel(page)).toBeFocused();
    await expect(findings(page)).toContainText("Nothing was tracked on this page yet");
    await context.close();
  },
);
