import type { Page } from "playwright/test";
import { faultsOf } from "../../../e2e/harness/axe.js";
import { EVERY_ENGINE, expect, test } from "../../../e2e/harness/engines.js";
import type { Tab } from "../../../e2e/harness/tab.js";
import { ACCESS_TOKEN } from "../../../test/service/support/service.js";
import { waitFor } from "../../../test/support/wait.js";
import { startFilled } from "./filled-service.js";
import { startKnown } from "./owner.js";

/** Which card, or the window, is too narrow for what is in it. */
const narrow = (tab: Tab) =>
  tab.evaluate<string[]>(
    `[document.documentElement, ...document.querySelectorAll(".card")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.dataset.card ?? "window")`,
  );

const settled = (tab: Tab) =>
  waitFor(() => tab.evaluate(`document.querySelector(".numbers-view")?.getAttribute("aria-busy") === "false"`), {
    what: "all that was asked for",
  });

const SIZES = [
  [390, "dark"],
  [1_440, "light"],
] as const;

for (const isFull of [true, false])
  test(
    `Each page, ${isFull ? "full" : "empty"}, is without a fault that axe finds, on a phone and a desktop, in light and dark`,
    EVERY_ENGINE,
    async ({ open, browserName }) => {
      test.setTimeout(600_000);
      const service = await (isFull ? startKnown() : startFilled([]));
      const idOf = async (path: string): Promise<string> => (await (await service.get(`/v2/${path}`)).json()).id;
      const paths = isFull
        ? [
            "/#span=30d",
            "/#name=nothing",
            "/steps#first=pageview&second=signed_up&within=7",
            "/questions",
            "/left-out",
            "/accounts",
            `/accounts/${await idOf("accounts?uid=acme")}`,
            "/contacts",
            `/contacts/${await idOf("contacts?uid=anna")}`,
          ]
        : ["/", "/accounts"];
      const tab = await open();
      await tab.goto(service.url);
      await waitFor(() => tab.evaluate(`Boolean(document.querySelector("[data-ask]:not([hidden])"))`), {
        what: "the form",
      });
      expect(await faultsOf(tab), "before the token").toEqual([]);
      await tab.evaluate(
        `document.querySelector("input").value = "${ACCESS_TOKEN}"; document.querySelector("form").requestSubmit()`,
      );
      await settled(tab);
      for (const path of paths) {
        await tab.setViewportSize({ width: SIZES[0][0], height: 900 });
        await tab.goto("about:blank");
        await tab.goto(service.url + path);
        await settled(tab);
        await tab.evaluate(`for (const one of document.querySelectorAll("details")) one.open = true`);
        for (const [width, colorScheme] of SIZES) {
          await tab.setViewportSize({ width, height: 900 });
          expect(await narrow(tab), `${path} at ${width} px`).toEqual([]);
          // The other drivers set no colours, which are the same everywhere, and to compare them takes most of the time.
          const isFirst = browserName === "chromium";
          if (isFirst) await (tab as Page).emulateMedia({ colorScheme });
          else if (width > 390) continue;
          const rules = { "color-contrast": { enabled: isFirst } };
          expect(await faultsOf(tab, { rules }), `${path} in ${colorScheme}`).toEqual([]);
        }
      }
      await service.stop();
    },
  );
