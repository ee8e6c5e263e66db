import {
  assignManyTimes,
  closeManyTabs,
  type ExitStage,
  multiByteText,
  reloadAtOnce,
  submitForm,
  trackAtPagehide,
  trackLarge,
  trackManyAtOnce,
} from "../harness/exits.js";
import { test as base, expect } from "../harness/fixtures.js";

/*
 * Browsers without keepalive: what a page begins is cut off when it is left, and only a beacon outlives it. What was cut off
 * is sent again, and the service may have it already: stamps tell it so. A beacon carries the cookies of its target and a
 * request of the snippet never does, so a cookie tells which one it was.
 */

const test = base.extend({
  stage: async ({ stage, context, site, gateway }, use) => {
    await context.addInitScript(() => {
      delete (Request.prototype as { keepalive?: boolean }).keepalive;
    });
    site.configure({ stamp: true });
    // Cookies do not tell ports apart: the service's is the site's, too.
    await context.addCookies([{ name: "seen", value: "yes", url: gateway.url }]);
    await use(stage);
  },
});

/** How many of the events came as beacons. */
const beacons = ({ gateway }: ExitStage): number =>
  gateway.posts().filter(({ headers }) => headers.cookie?.includes("seen=yes")).length;

test("without keepalive: 200 events in a row", async ({ stage }) => {
  await trackManyAtOnce(stage);
  expect(beacons(stage), "beacons on a page that stays").toBe(0);
  expect(stage.gateway.posts()).toHaveLength(200);
});

test("without keepalive: two events, then location.assign at once, 40 pages in a row", async ({ stage }) => {
  await assignManyTimes(stage);
});

test("without keepalive: an event, then the tab is closed at once, 20 times", async ({ stage }) => {
  await closeManyTabs(stage);
});

test("without keepalive: an event while a form is submitted", async ({ stage }) => {
  await submitForm(stage);
});

test("without keepalive: events, then a reload at once", async ({ stage }) => {
  await reloadAtOnce(stage);
});

for (const order of ["before", "after"] as const) {
  test(`without keepalive: 20 × 10 KB in the page's pagehide listener, ${order} the snippet's`, async ({ stage }) => {
    await trackAtPagehide(stage, { order, count: 20, text: "x".repeat(10_000), atLeast: 6 });
    expect(beacons(stage), "beacons").toBe(6);
  });

  test(`without keepalive: multi-byte text in a pagehide listener, ${order} the snippet's`, async ({ stage }) => {
    await trackAtPagehide(stage, { order, count: 6, text: multiByteText(9_000), atLeast: 2 });
    expect(beacons(stage), "beacons").toBe(2);
  });
}

test("without keepalive: one event of 100 KB", async ({ stage }) => {
  await trackLarge(stage);
});

test("without keepalive: one event of 100 KB while the page is left", async ({ stage }) => {
  await trackAtPagehide(stage, { order: "after", count: 1, text: "x".repeat(100 * 1024), atLeast: 0 });
  expect(beacons(stage), "beacons").toBe(0);
});
