import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { eventKeys } from "../harness/tab.js";
import { trackMany } from "../harness/track.js";

/* A site updates its script while visitors have tabs open, and rows in their storage, of one before. */

const KEPT = new URL("../../test/upgrade/", import.meta.url);
const releases = readdirSync(KEPT).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

for (const release of releases)
  test(`What the script of ${release} has left, and what a tab with it tracks beside one with this script, is stored once`, async ({
    open,
    site,
    gateway,
    expectRows,
  }) => {
    const src = `/${release}.js`;
    site.page(src, gunzipSync(readFileSync(new URL(`${release}/tracklet.iife.js.gz`, KEPT))).toString());
    site.configure({ stamp: true });
    const old = () => open("/old", { tag: { src } });
    await gateway.fail({ status: 503 });
    const left = await old();
    const uids = await trackMany(left, 5, "left");
    expect((await eventKeys(left)).length).toBe(5);
    await left.close();
    const [before, after] = [await old(), await open()];
    uids.push(...(await trackMany(before, 5, "before")), ...(await trackMany(after, 5, "after")));
    await gateway.heal();
    await expectRows(uids);
    // Who goes back to the script of before, as with a deployment that was wrong, finds what this one has left.
    await gateway.fail({ status: 503 });
    uids.push(...(await trackMany(after, 5, "newer")));
    // Of what was under way when its page was left, the script of before takes the next answer for a sign that it has arrived.
    await waitForBackOff(after);
    await after.close();
    await before.reload();
    await gateway.heal();
    await expectRows(uids);
  });
