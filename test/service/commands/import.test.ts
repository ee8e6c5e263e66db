import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { findProgram } from "../../support/engines.js";
import { readmeBlocks } from "../../support/readme.js";
import { neverAnalyzed, type Place } from "../support/database.js";
import { useCommands, useFolder, useServer } from "../support/fixtures.js";
import { linesOf } from "../support/told-command.js";

const jq = findProgram("jq");
const [RECIPE] = await readmeBlocks("From other tools, and from another workspace", "jq", "docs/service/data.md");
/** Lines as the two tools export them, and what becomes of them. */
const EXPORTS = [
  [
    "segment",
    [
      '{"type":"track","event":"Order Completed","userId":"anna","messageId":"m-1","timestamp":"2024-03-01T10:00:00.250Z","receivedAt":"2024-03-01T10:00:01Z","properties":{"total":1.5,"n":null},"context":{"groupId":"acme"}}',
      '{"type":"page","name":"Home","userId":"anna","messageId":"m-2","timestamp":"2024-03-01T09:59:00Z","receivedAt":"2024-03-01T09:59:01Z","properties":{"url":"https://shop.example/"},"context":{"page":{"referrer":"https://search.example/"}}}',
      '{"type":"identify","userId":"anna","messageId":"m-3","timestamp":"2024-03-01T09:58:00Z","traits":{"plan":"team"}}',
      '{"type":"track","event":"looked","anonymousId":"x","messageId":"m-4","timestamp":"2024-03-01T09:57:00Z"}',
    ],
    [
      '[1709287201000,1709287200250,"anna","acme","Order Completed",{"account_uid":"acme","total":1.5,"n":null}]',
      '[1709287141000,1709287140000,"anna",null,"pageview",{"url":"https://shop.example/","visit_url":"https://shop.example/","referrer":"https://search.example/","name":"Home"}]',
    ],
  ],
  [
    "posthog",
    [
      '{"uuid":"018e0000-0000-7000-8000-000000000001","event":"$pageview","distinct_id":"ben","timestamp":"2024-03-01T10:00:00.123000+00:00","created_at":"2024-03-01 10:00:02.000000","properties":{"$current_url":"https://shop.example/a","$groups":{"company":"acme"}}}',
      '{"uuid":"018e0000-0000-7000-8000-000000000002","event":"signed up","distinct_id":7,"timestamp":"2024-03-01T10:00:01+00:00","created_at":null,"properties":{}}',
    ],
    [
      '[1709287202000,1709287200123,"ben","acme","pageview",{"account_uid":"acme","visit_url":"https://shop.example/a","$current_url":"https://shop.example/a","$groups":{"company":"acme"}}]',
      '[1709287201000,1709287201000,"7",null,"signed up",{}]',
    ],
  ],
] as const;

const OLD_EVENT = {
  id: "016f60dc-7f00-7000-8000-000000000001",
  received_at: Date.UTC(2020, 0, 2),
  occurred_at: Date.UTC(2020, 0, 1),
  contact_uid: "long gone",
  account_uid: "acme",
  event_uid: "signup",
  // What some take for the end of a line stands within it.
  params: { account_uid: "acme", event_id: "old-1", text: "a\u2028b" },
};
/** It has the same `event_id`, but as a page's own one, which is no stamp. */
const UNSTAMPED = { ...OLD_EVENT, id: "016f60dc-7f00-7000-8000-000000000002", stamped: false };

const { place, run, runAt, withService } = useCommands();
const there = useServer();
const folder = useFolder();
beforeAll(() => withService(async () => {}, there));
/** Imports lines of a file with a name. */
const bring = async (name: string, lines: string, at = place): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, lines);
  return (await runAt(at, "import", file)).err;
};

it("changes only what a line names, and imports an export of everything, equal in all but the ids, once however often", async () => {
  const ben = '{"unique_id":"ben","data":{"name":"Ben"},"health":"good","accounts":["acme","new \\"one\\""]}';
  expect(await neverAnalyzed(place)).toContain("contacts");
  expect(await bring("contacts.ndjson", `${ben}\n\n{"unique_id":"zoe","created_at":7}\n`)).toBe(
    "imported 2 contacts\n",
  );
  expect(await neverAnalyzed(place)).toEqual([]);
  await bring("contacts.ndjson", '{"unique_id":"zoe","archived":true}');
  await bring(
    "accounts.ndjson",
    '{"unique_id":"acme","data":{"plan":"team"},"stage":{"id":"1","name":"Trial"},"health":7}\n',
  );
  await bring("users.ndjson", '{"email":"a@b.example","name":"A","role":"admin","created_at":1}\n');
  await bring("events.ndjson", `${JSON.stringify(OLD_EVENT)}\n${JSON.stringify(UNSTAMPED)}\n`);
  await withService(async ({ get }) => {
    const json = async (path: string) => (await get(path)).json();
    expect(await json("/v2/accounts?uid=acme")).toMatchObject({
      data: { plan: "team" },
      stage: { name: "Trial" },
      salesmachine: { health: 7 },
    });
    expect(await json("/v2/contacts?uid=ben")).toMatchObject({
      data: { name: "Ben" },
      salesmachine: { health: "good" },
      accounts: { total: 2 },
    });
    expect(await json("/v2/contacts?uid=zoe")).toMatchObject({ created_at: 7, archived: true });
  });
  const tables = ["users", "accounts", "contacts", "events"];
  const everything = async (at: Place) => {
    const texts: string[] = [];
    for (const table of tables) texts.push((await runAt(at, "export", table)).out);
    return texts;
  };
  const here = await everything(place);
  // From there again into this one: what came from here is known by its origin, and by its id.
  for (const at of [there, there, place])
    for (const [index, text] of here.entries()) await bring(`${tables[index]}-moved.ndjson`, text, at);
  const withoutIds = (texts: string[]) => texts.map((text) => text.replaceAll(/^\{"id":"[^"]+",/gm, "{"));
  expect(withoutIds(await everything(there))).toEqual(withoutIds(here));
  expect(await everything(place)).toEqual(here);
  // The time of its receipt counts, not that of the import.
  const old = ["export", "--since", "2020-01-01", "--until", "2020-02-01"];
  expect((await runAt(there, ...old)).out.trim().split("\n")).toHaveLength(2);
});

it("takes the account from the params, as the interface does, and tells of events that have none", async () => {
  const { account_uid, ...line } = OLD_EVENT;
  const lines = [{}, { account_uid: "own" }, { params: {} }].map((more, at) => {
    const id = `016f60dc-7f00-7000-8000-00000000001${at}`;
    return JSON.stringify({ ...line, id, contact_uid: "by params", stamped: false, ...more });
  });
  const said = await bring("events-accounts.ndjson", lines.join("\n"));
  expect(said).toBe("1 of 3 events have no account\nimported 3 events\n");
  const events = linesOf((await run("export", "events", "--contact", "by params")).out);
  expect(events.map(({ account_uid }) => account_uid)).toEqual(["acme", "own", null]);
});

it.skipIf(jq === undefined).each(EXPORTS)(
  "takes the events of %s by the recipe of the page, once however often",
  async (tool, lines, events) => {
    const text = execFileSync(jq!, ["-c", `${RECIPE}\n${tool}`], { input: lines.join("\n"), encoding: "utf8" });
    for (const told of ["imported 2 events\n", "2 of 2 events were here already\nimported 0 events\n"])
      expect(await bring(`events-${tool}.ndjson`, text)).toBe(`1 of 2 events have no account\n${told}`);
    const out = (await run("export", "events", "--since", "2024-03-01", "--until", "2024-03-02")).out;
    const stored = linesOf(out).slice(-2);
    const members = "received_at occurred_at contact_uid account_uid event_uid params".split(" ");
    expect(stored.map((one) => members.map((name) => one[name]))).toEqual(events.map((text) => JSON.parse(text)));
  },
);

const old = (more: object) => JSON.stringify({ ...OLD_EVENT, ...more });
it.each([
  ["accounts", '{"unique_id":"x"}\n{"uid":"a"}', /line 2: it must have required properties unique_id; nothing/],
  ["accounts", '{"unique_id":"x","dat":{}}', /line 1: dat is not known \(did you mean data\?\); nothing was imported$/],
  ["accounts", '{"unique_id":"x","elsewhere":1}', /line 1: elsewhere is not known; nothing was imported$/],
  ["contacts", '{"unique_id":"x"}\n{"unique_id":"x"}', /line 2: it is of the same record as line 1/],
  ["users", '{\n\n{"email":""}', /line 1: it is no JSON\nline 3: .+; nothing was imported$/],
  ["users", '{"email":"x","name":"x","role":"x","enabled":"yes"}', /line 1: enabled must be boolean/],
  ["events", `${old({})}\n${old({ received_at: "now" })}`, /line 2: received_at must be integer; nothing was imported/],
  // In nanoseconds: no day of the database is so late.
  [
    "events",
    old({ received_at: Date.UTC(2020, 0, 2) * 1e6 }),
    /line 1: received_at must be <= 253402300799999; nothing/,
  ],
  ["contacts", '{"unique_id":"x","created_at":1577923200000000000}', /line 1: created_at must be <= /],
  ["people", "", /must begin with events, accounts, contacts or users/],
])("imports nothing of a file that is wrong: %s %s", async (name, lines, message) => {
  await expect(bring(`${name}.ndjson`, lines)).rejects.toThrow(message);
  expect((await run("sql", "SELECT 1 FROM contacts WHERE unique_id = 'x'")).out).toBe("");
});
