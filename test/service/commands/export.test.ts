import { expect, it, vi } from "vitest";
import { addressesOf } from "../../../src/service/config/options.js";
import { runAt } from "../support/database.js";
import { DAY, TODAY, useCommands } from "../support/fixtures.js";
import { SERVICE, SHORT_TIME, spawnService } from "../support/service-process.js";

/* The commands that read: `export`, `loss` and `sql`. */

const { place, run, withService } = useCommands();
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

it("exports events as NDJSON, oldest first, their params as they were sent", async () => {
  const lines = (await run("export")).out.trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain(String.raw`"params":{"big":1e400, "text":"a\u0000\"b", "lines":"ä,☃"}}`);
  expect(JSON.parse(lines[0]!)).toMatchObject({ contact_uid: 'anna, "A"', account_uid: null, occurred_at: null });
  expect(JSON.parse(lines[1]!)).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    received_at: expect.any(Number),
    occurred_at: TODAY - 29 * DAY,
    contact_uid: "ben",
    account_uid: "acme",
    event_uid: "bought",
    params: { account_uid: "acme", occurred_at: TODAY - 29 * DAY },
  });
});

it("exports CSV that a spreadsheet takes for text", async () => {
  const [header, ...rows] = (await run("export", "events", "--format", "csv")).out.split(/\n(?="[0-9a-f]{8}-)/);
  expect(header).toBe('"id","received_at","occurred_at","contact_uid","account_uid","event_uid","params"');
  expect(rows).toHaveLength(3);
  expect(rows[0]).toContain(`,"anna, ""A""",,"'=1+1","{""big"":1e400, ""text"":""a\\u0000\\""b"",\n""lines""`);
});

it("exports the events of a time, of a workspace, of a contact, and the records", async () => {
  expect((await run("export", "--since", new Date(Date.now() + DAY).toISOString())).out).toBe("");
  expect((await run("export", "--until", "2020-01-01")).out).toBe("");
  // UTC, whatever the zone of the machine.
  const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16);
  vi.stubEnv("TZ", "America/New_York");
  expect((await run("export", "--since", hour(-1), "--until", hour(1))).out.split("\n")).toHaveLength(4);
  vi.unstubAllEnvs();
  expect(JSON.parse((await run("export", "--workspace", "shop")).out)).toMatchObject({ event_uid: "theirs" });
  // The demo's, and those that events tell of.
  for (const [records, lines] of [
    ["users", 137],
    ["accounts", 13],
    ["contacts", 62],
  ] as const)
    expect((await run("export", records)).out.trimEnd().split("\n"), records).toHaveLength(lines);
  expect(JSON.parse((await run("export", "--contact", "ben")).out)).toMatchObject({ event_uid: "bought" });
  const ben = (await run("export", "contacts", "--contact", "ben")).out;
  expect(JSON.parse(ben)).toMatchObject({ unique_id: "ben", accounts: ["acme"] });
  await expect(run("export", "--contact", "bem")).rejects.toThrow('there is no contact "bem"');
});

it("counts what is missing by the numbers of a document, on the day on which that began", async () => {
  expect((await run("loss", "--workspace", "shop")).err).toBe("no event is numbered: its page must have stamp: true\n");
  const began = TODAY - 5 * DAY + 21 * 3_600_000;
  const [first, second, third] = [5, 4, 3].map((ago) => dayOf(TODAY - ago * DAY)) as [string, string, string];
  await withService(async ({ post, get }) => {
    const send = (digit: number, event_seq: number, more = {}) =>
      post({
        contact_uid: `numbered-${event_seq % 2}`,
        event_uid: "n",
        // As the script has it: behind all others.
        params: {
          text: "\u0000\ud800",
          event_id: `${digit}${event_seq % 10}000000-0000-4000-a000-000000000000`,
          occurred_at: began + event_seq * 3_600_000,
          event_source: `${digit}0000000-0000-4000-a000-000000000000`,
          event_seq,
          ...more,
        },
      });
    // The first, and one on the next day, are missing; a repeat and what cannot be read as JSON change nothing.
    for (const number of [3, 2, 5, 3]) await send(1, number);
    for (const number of [1, 2]) await send(2, number);
    await send(3, 1, { occurred_at: began + DAY });
    // Nobody's: a number far above all others, one of two events, one below the first.
    for (const number of [1, 9_999_999]) await send(4, number);
    for (const event_id of ["51000000", "ffffffff"])
      await send(5, 1, { event_id: `${event_id}-0000-4000-a000-000000000000` });
    await send(6, 0);
    // A time that cannot be tells of no other day.
    await send(7, 1_000, { occurred_at: 2 ** 53 - 1, event_seq: 1 });
    // The page of the numbers says the same.
    const { missing } = await (await get("/v2/numbers")).json();
    expect(missing).toMatchObject({ documents: 4, events: 7, missing: 2 });
  });
  const spoilt = "; who has the token of the pages can spoil this\n";
  const last = `{"day":"${second}","documents":1,"events":1,"missing":0,"aside":0}\n`;
  expect(await run("loss", "--since", second, "--until", third)).toMatchObject({
    out: last,
    err: `0 of 1 events missing (0.00 %)${spoilt}`,
  });
  expect(await run("loss", "--until", third)).toMatchObject({
    out: `{"day":"${first}","documents":2,"events":5,"missing":2,"aside":3}\n${last}`,
    err: `2 of 8 events missing (25.00 %); set aside, as their numbers cannot be: 3 documents${spoilt}`,
  });
  for (const contact of ["numbered-0", "numbered-1"]) await run("erase", contact);
});

it("writes the rows of a query, which can change nothing", async () => {
  const sql = "SELECT event_uid, 9007199254740993 AS big, null AS none FROM events WHERE workspace = 'shop' -- yes";
  expect((await run("sql", `${sql};`)).out).toBe('{"event_uid":"theirs","big":9007199254740993,"none":null}\n');
  expect((await run("sql", "SELECT 1 AS a, 'x,y' AS b", "--format", "csv")).out).toBe('"a","b"\n"1","x,y"\n');
  expect((await run("sql", "/* none */ (\nVALUES (1), (2))", "--format", "csv")).out).toContain('"column1"');
  for (const [wrong, words] of [
    ["DELETE FROM events RETURNING *", /it would change something$/],
    ["", /PostgreSQL says: syntax error/],
    ["SELECT 1) SELECT 1; COMMIT; DELETE FROM events; WITH answer AS (SELECT 1", /multiple commands/],
    ["WITH gone AS (DELETE FROM events RETURNING *) SELECT * FROM gone", /PostgreSQL says: /],
    ["SELECT a.id, b.id FROM contacts a, contacts b", /two of its columns have one name: give each its own/],
    ["SELECT nothing", /answered, PostgreSQL says: column "nothing" does not exist$/],
    ["SELECT params->>'plan' FROM events", /does not exist: text ->> unknown\. No operator .+ explicit type casts\.$/],
    ["SELECT set_config('transaction_read_only', 'off', false)", /PostgreSQL says: /],
  ] as const)
    await expect(run("sql", wrong), wrong).rejects.toThrow(words);
  expect((await run("export")).out.trimEnd().split("\n")).toHaveLength(3);
});

it("reads as a role of the server that may only read, and says in one line that it may not write", async () => {
  const url = addressesOf(place.databaseUrl!)[0]!;
  const as = (DATABASE_URL: string, ...args: string[]) =>
    spawnService({ DATABASE_URL }, [...(args[0] === "export" ? SHORT_TIME : [SERVICE]), ...args]).closed;
  const reader = Object.assign(new URL(url), { username: "reader" }).href;
  const may = (grants: string) => runAt(url, grants);
  await may("CREATE ROLE reader LOGIN");
  await may("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
  await may("REVOKE SELECT ON schema_migrations FROM reader");
  expect((await as(reader, "sql", "SELECT 1 AS a")).stderr).toMatch(
    /^service: .+: GRANT SELECT ON schema_migrations to its role, which a role that only reads needs\n$/,
  );
  await may("GRANT SELECT ON schema_migrations TO reader");
  expect(await as(reader, "sql", "SELECT 1 AS a")).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
  // It would take what others are about to commit for settled.
  const blind = /\nservice: .+ would miss what they commit: GRANT pg_read_all_stats TO reader\n$/;
  expect((await as(reader, "export", "--follow")).stderr).toMatch(blind);
  await may("GRANT pg_read_all_stats TO reader");
  expect((await as(reader, "export")).code).toBe(0);
  const standby = await as(`${url}?options=-c%20default_transaction_read_only%3Don`, "erase", 'anna, "A"');
  expect(standby.stderr).toMatch(/\nservice: the database cannot do this now, it only reads, as a standby .+\n$/);
  await may("DROP OWNED BY reader; DROP ROLE reader");
});
