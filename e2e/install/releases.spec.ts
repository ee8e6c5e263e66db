import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test, waitFor } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { eventKeys } from "../harness/tab.js";
import { trackMany } from "../harness/track.js";

/* A site updates its script while visitors have tabs open, and rows in their storage, of one before. */

const KEPT = new URL("../../test/upgrade/", import.meta.url);
const releases = readdirSync(KEPT).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

for (const release of releases) {
  const src = `/${release}.js`;
  const script = gunzipSync(readFileSync(new URL(`${release}/tracklet.iife.js.gz`, KEPT))).toString();

  test(`What the script of ${release} has left, and what a tab with it tracks beside one with this script, is stored once`, async ({
    open,
    site,
    gateway,
    expectRows,
  }) => {
    site.page(src, script);
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

  test(`What a page that waits for its own user has tracked is stored for that one, whoever a tab with the script of ${release} names`, async ({
    open,
    site,
    contact,
    expectRows,
  }) => {
    site.page(src, script);
    const before = await open("/old", { tag: { src }, identify: `${contact}-before` });
    const waiting = await open("/waits", { tag: { identity: "page" }, identify: false });
    const uids = await trackMany(waiting, 3, "late");
    await trackMany(before, 3, "before");
    await waitFor(async () => (await eventKeys(before)).length === 0, {
      what: "the other tab's events to be delivered",
    });
    await waiting.evaluate((uid) => window.tracklet.identify(uid), contact);
    await expectRows(uids);
  });
}
