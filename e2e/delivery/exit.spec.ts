import { expect, test, track } from "../harness/fixtures.js";

/* What is too large to leave with its page. What is too much: simulation/exits. */

test("An event of 100 KB, more than a request that outlives its page may carry, is delivered without that", async ({
  open,
  gateway,
  expectRows,
}) => {
  const text = "x".repeat(100 * 1024);
  const page = await open();
  await track(page, "large", { text });
  await track(page, "small");
  const stored = await expectRows(["large", "small"]);
  expect(stored.find(({ event_uid }) => event_uid === "large")?.params.text).toBe(text);
  expect(gateway.posts("large")).toHaveLength(1);
});
