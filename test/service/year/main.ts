/*
 * `npm run year`: a site of ten million events, with 20,000 contacts and 2,000 erasures, lives through a year, in some hours.
 * `npm run year -- 1000000 52 2` has a tenth of all, weeks in place of days, and the numbers are asked twice a day.
 */
import { liveThrough } from "./year.js";

const [events = 10_000_000, parts = 365, asked = 24] = process.argv.slice(2).map(Number);
const site = {
  events,
  contacts: events / 500,
  accounts: Math.ceil(events / 33_000),
  erasures: events / 5_000,
  parts,
  asked,
};
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
