import { expect, test } from "../harness/fixtures.js";
import { findings, init, inspect, visit } from "../harness/inspector.js";
import { loaded, run } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* What went wrong before the inspector was opened: the tracker tells a listener that comes. */

test("a misspelt option of init, a wrong argument, and a verb that does not exist", async ({ page, site, gateway }) => {
  await visit(page, site, { tag: { apiToken: undefined as never, trackUrl: undefined as never }, identify: false });
  await loaded(page);
  await init(page, { apiToken: DEMO_TOKEN, trackUrl: gateway.url, pageviews: "off", maxevents: 5 });
  await run(page, 'tracklet.track(""); tracklet.push(["Identify", "somebody"])');
  await inspect(page);
  await expect(findings(page)).toContainText(
    "maxevents, given to init, is no option: perhaps maxEvents, given to init, is meant.",
  );
  await expect(findings(page)).toContainText(/An option or an argument is wrong: .*eventUid.*Identify/);
});
