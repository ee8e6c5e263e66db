import { expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { followSums } from "../support/database.js";
import { DAY, SHOP, TODAY, useCommands } from "../support/fixtures.js";

const url = "https://track.example.com";
const { place, runAt, withService } = useCommands();
const run = (...args: string[]) => runAt({ ...place, publicUrl: url } as typeof place, ...args);

const NO_ONE = "{{company.id}}";

/** Name, contact, account, and how many days ago. */
const STORED: [name: string, contact: string, account: string, ago: number][] = [
  ["signup", "ann", "acme", 1],
  ["signup", "ann", "acme", 3],
  ["signup", "ben", NO_ONE, 7],
  ["export", "ben", NO_ONE, 5],
  ["signup", "ann", "acme", 8],
  ["setup", "ann", "acme", 2],
  ["setup", "ann", "acme", 3],
  ["setup", "ann", "acme", 9],
  ...[9, 10, 11, 12].map((ago): [string, string, string, number] => ["export", "ben", NO_ONE, ago]),
  ["export", "ben", NO_ONE, 14],
  ["import", "cleo", "south & <co>", 8],
  ["import", "cleo", "south & <co>", 11],
  // Of less than a quarter nothing is said, nor of a single event, such as setup's.
  ...[1, 2, 3, 4, 8, 9, 10, 11, 12].map((ago): [string, string, string, number] => ["steady", "eve", "even", ago]),
  // Neither of the week nor of the one before.
  ["today", "dora", "late", 0],
  ["old", "ben", NO_ONE, 15],
  ["old", "gus", "gone", 20],
  ["old", "hal", "long gone", 29],
  ["trial", "ida", "fresh", 3],
  ["trial", "ida", "fresh", 4],
];
const weeks = [1, 8].map((first) => STORED.filter(([, , , ago]) => ago >= first && ago < first + 7)) as [
  typeof STORED,
  typeof STORED,
];
/** By how much there is more or less than the week before. */
const changeOf = (of: (stored: typeof STORED) => number): string => {
  const change = Math.round(100 * (of(weeks[0]) / of(weeks[1]) - 1));
  return of(weeks[1]) === 0 ? "0 before" : `${change > 0 ? "+" : ""}${change}%`;
};
const told = (of: (stored: typeof STORED) => number, unit = ""): string =>
  `${of(weeks[0])}${unit} (${changeOf(of)}${of(weeks[1]) > 0 ? `, ${of(weeks[1])} the week before` : ""})`;
const named = (at: 0 | 1 | 2, name: string, mark = "") => {
  const of = (stored: typeof STORED) => stored.filter((one) => one[at] === name).length;
  return `  ${name}${mark}: ${told(of, of(weeks[0]) === 1 ? " event" : " events")}`;
};
const different = (at: 1 | 2) => (stored: typeof STORED) => new Set(stored.map((one) => one[at])).size;
const all = ({ length }: typeof STORED) => length;
/** Of a colour such as #0b5a30, as WCAG counts it. */
const lightOf = (colour: string): number => {
  const [r, g, b] = colour.match(/\w\w/g)!.map((part) => ((Number(`0x${part}`) / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b! + 0.05;
};

it("writes a mail of the week, whose figures are those of what was stored", async () => {
  await withService(async ({ post }) => {
    for (const [event_uid, contact_uid, account_uid, ago] of STORED) {
      const params = { account_uid, occurred_at: TODAY - ago * DAY };
      await post({ contact_uid, event_uid, params }, {}, `?api_token=${SHOP.apiToken}`);
    }
  });
  const database = await openDatabase(place);
  await followSums(database, "shop");
  // Its record began in the week.
  await database.query("UPDATE accounts SET created_at = $1 WHERE unique_id = 'fresh'", [(TODAY - 4 * DAY) / 1_000]);
  await database.close();
  const { out } = await run("report", "--week", "--workspace", "shop", "--to", "owner@shop.example");
  const [head, text, coded] = out.split(/\n--part(?:--)?\n/);
  const html = Buffer.from(coded!.split("\n\n")[1]!, "base64").toString();
  const day = (ago: number) => new Date(TODAY - ago * DAY).toISOString().slice(0, 10);
  const date = (ago: number) =>
    new Date(TODAY - ago * DAY).toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });
  const week = `${date(7)} to ${date(1)}`;
  expect(head).toContain(`Subject: shop at track.example.com: the week from ${week}\nTo: owner@shop.example\n`);
  const at = (path: string) => `${url}${path}from=${day(7)}&to=${day(1)}`;
  const lists = [
    [
      "Accounts to call (3)",
      at("/accounts#show=call&"),
      named(2, "south & <co>"),
      `  gone: silent since ${date(20)}`,
      `  long gone: silent since ${date(29)}`,
      "",
    ],
    [
      "People to call (3)",
      at("/contacts#show=call&"),
      named(1, "cleo", " (south & <co>)"),
      `  gus (gone): silent since ${date(20)}`,
      `  hal (long gone): silent since ${date(29)}`,
      "",
    ],
    ["The week", at("/#"), `  Events: ${told(all)}`, "  Page views: 0"],
    [`  Active people: ${told(different(1))}`, `  Active accounts: ${told(different(2))}`, ""],
    ["Events that rose", at("/#"), named(0, "signup"), named(0, "trial"), ""],
    ["Events that fell", at("/#"), named(0, "export"), ""],
    ["Events that stopped coming", at("/#"), named(0, "import"), ""],
    ["New accounts (1)", at("/accounts#show=new&"), named(2, "fresh"), ""],
    ["Accounts that rose", at("/accounts#show=rising&"), named(2, "acme"), ""],
  ];
  expect(text).toContain("Content-Transfer-Encoding: 8bit\n\n");
  expect(text!.slice(text!.indexOf("shop at "))).toMatch(new RegExp(`^shop at .*: the week from ${week}\n.*\n\n`));
  expect(text!.split("\n")).toContain(
    `${all(weeks[0])} events (${changeOf(all)}) by ${different(1)(weeks[0])} people (${changeOf(different(1))}), against the week before; a call may win back south & <co>, gone, cleo (south & <co>), and 1 more, who fell or went silent.`,
  );
  const [shown, rules] = text!.slice(text!.indexOf("Accounts to call")).split("\nSeven days");
  expect(shown).toBe(lists.flat().join("\n"));
  expect(rules).toMatch(/^ up to yesterday.*at least 25 %.*lost most events first, then who was seen last\./);
  const zoo = recordId("account", "south & <co>", "shop");
  expect(html).toContain(` href="${at(`/accounts/${zoo}#`).replace("&", "&#38;")}">south &#38; &#60;co&#62;</a>`);
  const marks = [...html.matchAll(/background:(#\w+);color:(#\w+);[^>]*>([-+]|0 b)/g)];
  for (const [, ground, colour] of marks) expect(lightOf(ground!) / lightOf(colour!)).toBeGreaterThan(4.5);
  expect(new Map(marks.map(([, ground, , change]) => [change, ground]))).toEqual(
    new Map([
      ["+", "#dff3e6"],
      ["0 b", "#dff3e6"],
      ["-", "#fde3e1"],
    ]),
  );
  // The same, had its first event come in this week.
  const later = await openDatabase(place);
  await later.query("DELETE FROM days WHERE workspace = 'shop' AND day < $1", [day(7)]);
  await later.query("UPDATE counted SET past = $1 WHERE workspace = 'shop'", [day(7)]);
  await later.close();
  const { out: first } = await run("report", "--week", "--workspace", "shop");
  expect(first).toContain(`Nothing to compare with: the first event is of ${date(7)}.`);
  expect(first).not.toMatch(/week before\)|that rose/);
  expect((await runAt(place, "report", "--week")).out).toMatch(/^Subject: The week from /);
  await expect(run("report")).rejects.toThrow("--week");
  await expect(run("report", "--week", "--to", "a\nBcc: b")).rejects.toThrow("--to must be an address");
});
