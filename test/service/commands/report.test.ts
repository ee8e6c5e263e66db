import { expect, it } from "vitest";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { followSums } from "../support/database.js";
import { DAY, SHOP, TODAY, useCommands } from "../support/fixtures.js";

const { place, run, withService } = useCommands();

/** Name, contact, account, and how many days ago. */
const STORED: [name: string, contact: string, account: string, ago: number][] = [
  ["signup", "ann", "acme", 1],
  ["signup", "ann", "acme", 3],
  ["signup", "ben", "north", 7],
  ["export", "ben", "north", 5],
  ["signup", "ann", "acme", 8],
  ["export", "ben", "north", 9],
  ["export", "ben", "north", 10],
  ["export", "ben", "north", 14],
  ["import", "cleo", "south & <co>", 8],
  ["import", "cleo", "south & <co>", 11],
  // Neither of the week nor of the one before.
  ["today", "dora", "late", 0],
  ["old", "ben", "north", 15],
];
const weeks = [1, 8].map((first) => STORED.filter(([, , , ago]) => ago >= first && ago < first + 7)) as [
  typeof STORED,
  typeof STORED,
];
const told = (of: (stored: typeof STORED) => number): string => `${of(weeks[0])} (${of(weeks[1])} the week before)`;
const named = (at: 0 | 1 | 2, name: string) =>
  `  ${name}: ${told((stored) => stored.filter((one) => one[at] === name).length)}`;
const different = (at: 1 | 2) => told((stored) => new Set(stored.map((one) => one[at])).size);

it("writes a mail of the week, whose figures are those of what was stored", async () => {
  await withService(async ({ post }) => {
    for (const [event_uid, contact_uid, account_uid, ago] of STORED) {
      const params = { account_uid, occurred_at: TODAY - ago * DAY };
      await post({ contact_uid, event_uid, params }, {}, `?api_token=${SHOP.apiToken}`);
    }
  });
  const database = await openDatabase(place);
  await followSums(database, "shop");
  await database.close();
  const { out } = await run("report", "--week", "--workspace", "shop", "--to", "owner@shop.example");
  const [head, ...parts] = out.split(/\n--part(?:--)?\n/);
  const day = (ago: number) => new Date(TODAY - ago * DAY).toISOString().slice(0, 10);
  expect(head).toContain(`Subject: shop: ${day(7)} to ${day(1)}\nTo: owner@shop.example\n`);
  const [text, html] = parts.map((part) => Buffer.from(part.split("\n\n")[1] ?? "", "base64").toString());
  const lists = [
    ["The week", `  Events: ${told(({ length }) => length)}`, "  Page views: 0 (0 the week before)"],
    ["", `  Active people: ${different(1)}`, `  Active accounts: ${different(2)}`, ""],
    ["Events that rose", named(0, "signup"), ""],
    ["Events that fell", named(0, "export"), ""],
    ["Events that stopped coming", named(0, "import"), ""],
    ["Accounts that rose", named(2, "acme"), ""],
    ["Accounts that fell", named(2, "north"), ""],
    ["Accounts that went silent (1)", named(2, "south & <co>"), ""],
    ["People who went silent (1)", named(1, "cleo"), ""],
  ];
  expect(text).toBe(
    `shop: ${day(7)} to ${day(1)}\n\n${lists.flatMap(([title, ...rows]) => (title ? [title, ...rows] : rows)).join("\n")}`,
  );
  expect(html).toContain('<td style="padding:2px 16px 2px 0">south &#38; &#60;co&#62;</td>');
  await expect(run("report")).rejects.toThrow("--week");
  await expect(run("report", "--week", "--to", "a\nBcc: b")).rejects.toThrow("--to must be an address");
});
