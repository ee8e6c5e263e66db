import { expect, it } from "vitest";
import { liveThrough } from "./year.js";

/** `npm run year` has all of it. */
const SITE = { events: 2_400, contacts: 50, accounts: 10, erasures: 12, parts: 6, asked: 1 };
/** Who is there, and who asks: no more after a year than after a month. */
const STEADY = /^(queries|contacts,|accounts,|account_contacts|users|workspaces|tokens|service_|schema_)/;

it.runIf(process.platform === "linux")(
  "lives through a year: what is old and erased is gone, the sums are right, and nothing else grows",
  async () => {
    const { figures, wrong } = await liveThrough(SITE, () => {});
    expect(wrong).toEqual([]);
    const [tenth, end] = figures;
    const steady = Object.keys(tenth).filter((name) => STEADY.test(name));
    expect(steady.length).toBe(10);
    // Pages of a table, and what autovacuum asks beside.
    for (const name of steady) expect(end[name], name).toBeLessThan(2 * tenth[name]! + 100);
    // No hour of this site is so busy that it is written there.
    expect(end["sums_anew, kB"]).toBe(tenth["sums_anew, kB"]);
  },
);
