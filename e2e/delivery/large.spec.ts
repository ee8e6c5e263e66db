import { multiByteText, trackAtPagehide, trackLarge } from "../harness/exits.js";
import { expect, test } from "../harness/fixtures.js";
import { names } from "../harness/track.js";

/* Delivery of events that are large, also while the page is left: what a browser carries then is bounded in bytes. */

for (const order of ["before", "after"] as const) {
  // Six of them fit into the 60 KiB that a document may have in flight when it is left.
  test(`20 × 10 KB tracked in a pagehide listener, ${order} the snippet's: what fits leaves, the rest comes next`, ({
    stage,
  }) => trackAtPagehide(stage, { order, count: 20, text: "x".repeat(10_000), atLeast: 6 }));

  // 6 × 9,000 characters are fewer than 60 KiB, their 27,000 bytes each are not: two fit.
  test(`multi-byte text tracked in a pagehide listener, ${order} the snippet's: bytes are counted`, ({ stage }) =>
    trackAtPagehide(stage, { order, count: 6, text: multiByteText(9_000), atLeast: 2 }));
}

test("one event of 100 KB, more than a request that outlives its page may carry, is delivered without that", ({
  stage,
}) => trackLarge(stage));

test("one event of 100 KB tracked while the page is left is delivered by the next page", ({ stage }) =>
  trackAtPagehide(stage, { order: "after", count: 1, text: "x".repeat(100 * 1024), atLeast: 0 }));

test("60 events of multi-byte text on a page that stays", async ({ page, site, gateway, expectRows }) => {
  const text = multiByteText(3_000);
  await page.goto(site.url);
  await page.evaluate((given) => {
    const { tracklet } = window;
    for (let i = 1; i <= 60; i++) tracklet.push(["track", `event-${i}`, { text: given }]);
  }, text);
  const stored = await expectRows(names("event", 60));
  for (const { params } of stored) expect(params).toEqual({ text });
  expect(gateway.posts(), "one request an event").toHaveLength(60);
});
