import type { Page } from "playwright/test";
import { expect, test, track } from "../harness/fixtures.js";
import { open } from "../harness/install.js";

/* What a visitor feels: requests begin once the frame after a click has been drawn. */

const SLOWDOWN = 6;
const EVENTS = 5;
const ROUNDS = 11;
/** Five `track()` of a click may delay the next frame so many times as long as five bare writes do. */
const RATIO = 2;

/** Two buttons: one tracks, the other writes the same bytes by itself. Each notes how long the next frame takes to come. */
const buttons = (contact: string): string => `
  <button id="tracked">Track</button>
  <button id="bare">Write</button>
  <script>
    const delays = { tracked: [], bare: [] };
    let count = 1e6;
    const params = { display_name: "Exported a report", format: "spreadsheet", rows: 1284, filters: ["region", "quarter"] };
    const work = {
      tracked: () => tracklet.track("clicked", params),
      bare: () => {
        const body = JSON.stringify({ contact_uid: ${JSON.stringify(contact)}, event_uid: "clicked", params });
        localStorage.setItem("bare:event:abcdefghij:" + count++ + ":1700000000000", body);
      },
    };
    for (const name of ["tracked", "bare"])
      document.getElementById(name).onclick = () => {
        const start = performance.now();
        for (let i = 0; i < ${EVENTS}; i++) work[name]();
        requestAnimationFrame(() => delays[name].push(performance.now() - start));
      };
  </script>`;

/** Clicks when a frame has just been drawn, so that the next one is as far off as it can be. Runs in the page. */
const clickAfterFrame = (id: string): void => {
  const drawn = new MessageChannel();
  drawn.port1.onmessage = () => document.getElementById(id)!.click();
  requestAnimationFrame(() => drawn.port2.postMessage(undefined));
};

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!;

const delaysOf = (page: Page) => page.evaluate("delays") as Promise<Record<"tracked" | "bare", number[]>>;

test("Five events in a click delay the next frame little more than five bare writes, the processor slowed sixfold", async ({
  page,
  site,
  contact,
  expectRows,
}) => {
  site.page("/", site.html({ body: buttons(contact) }));
  await open(page, site.url);
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  for (let round = 1; round <= ROUNDS; round++) {
    for (const name of round % 2 ? (["tracked", "bare"] as const) : (["bare", "tracked"] as const)) {
      await page.evaluate(clickAfterFrame, name);
      await expect.poll(async () => (await delaysOf(page))[name].length, { intervals: [20] }).toBe(round);
    }
    // Nothing is queued when the next one begins.
    await expectRows(round * EVENTS);
  }
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const delays = await delaysOf(page);
  // The quick rounds of one against the slow ones of the other: what else the machine does makes single rounds slower.
  const [tracked, bare] = [quantile(delays.tracked, 0.25), quantile(delays.bare, 0.75)];
  const measured = `${tracked.toFixed(1)} ms tracked, ${bare.toFixed(1)} ms bare`;
  test.info().annotations.push({ type: "next frame", description: measured });
  expect(tracked / bare, measured).toBeLessThan(RATIO);
});

test("A frame that never comes, as in a covered window, keeps no event back", async ({ page, site, expectRows }) => {
  await page.addInitScript(() => {
    window.requestAnimationFrame = () => 0;
  });
  await open(page, site.url);
  await track(page, "covered");
  await expectRows(["covered"], { timeoutMs: 10_000 });
});
