import type { Page } from "playwright/test";
import type { Row } from "../../../test/support/service.js";
import type { Contact } from "./start-demo.js";

/* What tests do on the demo's pages as a visitor, and what came of it. */

export const identify = async (page: Page, { uid, accounts }: Contact) => {
  const option = page.locator(`#contact option[value*='"${uid}"'][value*='"${accounts[0]!.uid}"']`);
  await page.locator("#contact").selectOption(await option.getAttribute("value"));
  await page.getByRole("button", { name: "Identify" }).click();
};

export const trackOwn = async (page: Page, name: string, json = "{}") => {
  await page.locator("#event-uid").fill(name);
  await page.locator("#params").fill(json);
  await page.getByRole("button", { name: "Track event" }).click();
};

/** The events that are no page views, by name. */
export const own = (rows: Row[]) => rows.filter((row) => row.event_uid !== "pageview").map((row) => row.event_uid);

/** The paths of the page views. */
export const pageviews = (rows: Row[]) =>
  rows.filter((row) => row.event_uid === "pageview").map((row) => new URL(String(row.params.visit_url)).pathname);
