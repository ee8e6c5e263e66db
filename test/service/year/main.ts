/*
 * `npm run year`: a site of ten million events lives through a year, in an hour or two. `npm run year -- 1000000 52` has a million, and
 * weeks in place of days.
 */
import { liveThrough } from "./year.js";

const [events = 10_000_000, parts = 365] = process.argv.slice(2).map(Number);
const site = { events, parts, contacts: 20_000, accounts: 300, erasures: 2_000, asked: 24 };
const { figures, wrong } = await liveThrough(site, console.log);
const [tenth, end] = figures;
console.table(
  Object.fromEntries(
    Object.entries(end).map(([name, at]) => [
      name,
      { "at a tenth": Number((tenth[name] ?? 0).toFixed(1)), "at the end": Number(at.toFixed(1)) },
    ]),
  ),
);
for (const line of wrong) console.error(`year: ${line}`);
process.exit(wrong.length > 0 ? 1 : 0);
