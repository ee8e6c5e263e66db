import { expect, test, track } from "../harness/fixtures.js";

/* An exception costs a page most at its start: to name the callee, V8 parses the function once more. Caught ones show nowhere. */

test("A healthy start, a page view and an event throw nothing, caught or not; what a page throws is seen", async ({
  page,
  site,
  expectRows,
}) => {
  const session = await page.context().newCDPSession(page);
  const thrown: string[] = [];
  session.on("Debugger.paused", ({ data, callFrames }) => {
    thrown.push(`${data?.description?.split("\n")[0]} in ${callFrames[0]?.functionName}`);
    void session.send("Debugger.resume");
  });
  await session.send("Debugger.enable");
  await session.send("Debugger.setPauseOnExceptions", { state: "all" });
  await page.goto(site.url);
  await track(page, "first");
  await expectRows(["first"]);
  await page.evaluate(() => {
    const own = (): void => {
      try {
        JSON.parse("{");
      } catch {
        // As a tracker would.
      }
    };
    own();
  });
  expect(thrown).toEqual([expect.stringMatching(/^SyntaxError: .* in own$/)]);
});
