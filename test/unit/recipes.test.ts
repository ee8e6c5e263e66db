/** What docs/install.md shows of members of every event, run in a page. */
import { expect, it } from "vitest";
import type { Config } from "../../src/types.js";
import { inWorld } from "../simulation/world.js";
import { readmeBlocks } from "../support/readme.js";

it("members that change, the title and the campaign are those of the moment of each event", async () => {
  const [code] = await readmeBlocks("Members of every event", "js");
  const root = { dataset: { theme: "dark" as string | undefined } };
  const document = { documentElement: root, title: "Shop" };
  const config = {} as Config;
  const run = new Function("init", "document", "location", code!.replace(/^import .*/m, ""));
  run((given: Config) => Object.assign(config, given), document, { search: "?utm_campaign=spring" });
  await inWorld(async (world) => {
    const page = await world.open(config);
    await page.track("one");
    document.title = "Cart";
    root.dataset.theme = undefined;
    await page.track("two");
    await world.clock.advance(1_000);
    const always = { campaign: "spring" };
    expect(world.sent.map(({ body }) => JSON.parse(body).params)).toEqual([
      { ...always, title: "Shop", theme: "dark" },
      { ...always, title: "Cart" },
    ]);
  });
});
