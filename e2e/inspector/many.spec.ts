import { expect, test } from "../harness/fixtures.js";
import { panel, visit } from "../harness/inspector.js";

/* The inspector where very much waits. */

/** As many as an outage of days may leave where `maxEvents` allows it. */
const ROWS = 20_000;

test("of 20,000 events it shows a hundred and counts the rest, and the page stays quick", async ({ page, site }) => {
  await visit(page, site, { tag: false, identify: false });
  const read = await page.evaluate(async (rows) => {
    const body = JSON.stringify({ contact_uid: "contact", event_uid: "kept", params: { text: "x".repeat(100) } });
    for (let row = 0; row < rows; row++)
      localStorage.setItem(`tracklet:event2:tab:${1e6 + row}:${Date.now()}`, `0,0,${body}`);
    const { prototype } = Storage;
    const getItem = prototype.getItem;
    const counted = { values: 0, busyMs: 0, keysMs: 0 };
    prototype.getItem = function (key) {
      counted.values++;
      return getItem.call(this, key);
    };
    // What nobody can do without: a look at each key, to count those of the tracker.
    const times = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      for (let index = 0; index < rows; index++) localStorage.key(index);
      return performance.now() - begun;
    });
    counted.keysMs = Math.max(...times);
    // The longest that the page stands still while the panel opens and looks a few times.
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) counted.busyMs = Math.max(counted.busyMs, duration);
    }).observe({ type: "longtask" });
    await import("/dist/tracklet.inspector.js" as string);
    await new Promise((resolve) => {
      const isSeen = () => counted.values > 2 * 103;
      const timer = setInterval(() => isSeen() && resolve(clearInterval(timer)), 100);
    });
    prototype.getItem = getItem;
    return counted;
  }, ROWS);
  await expect(panel(page)).toContainText("Waiting: 20,000");
  const list = panel(page).getByRole("list").last();
  await expect(list.getByRole("listitem")).toHaveCount(101);
  await expect(list).toContainText("and 19,900 more");
  test.info().annotations.push({ type: "measured", description: JSON.stringify(read) });
  // Each look reads the rows that are shown, and contact, consent and pause.
  expect(read.values % 103).toBe(0);
  // Listing all rows, sorting and parsing them took 40 times as long.
  expect(read.busyMs).toBeLessThan(20 * read.keysMs);
});
