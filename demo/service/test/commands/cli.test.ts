import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { runCommand } from "../../commands/cli.js";
import { readConfig } from "../../config/read-config.js";
import { idAt } from "../../database/event-id.js";
import { recordId } from "../../database/exact-text.js";
import { openDatabase } from "../../database/open-database.js";
import { seed } from "../../records/seed.js";
import { AT_ONCE } from "../support/bounds.js";
import { onBothEngines } from "../support/engines.js";
import type { Place } from "../support/places.js";
import { type RunningService, startService, until } from "../support/running-service.js";
import { SERVICE, spawnService } from "../support/service-process.js";

const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
const DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const OLD_EVENT = {
  id: "016f60dc-7f00-7000-8000-000000000001",
  received_at: Date.UTC(2020, 0, 2),
  occurred_at: Date.UTC(2020, 0, 1),
  contact_uid: "long gone",
  account_uid: "acme",
  event_uid: "signup",
  params: { account_uid: "acme", event_id: "old-1" },
};

onBothEngines(
  (place) => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "tracklet-cli-"));
      await withService(async (service) => {
        const exact = `{"big":1e400, "text":"a\\u0000\\"b",\n"lines":"ä,☃"}`;
        await service.post(`{"contact_uid":"anna, \\"A\\"","event_uid":"=1+1","params":${exact}}`);
        await service.post({
          contact_uid: "ben",
          event_uid: "bought",
          params: { account_uid: "acme", occurred_at: TODAY - 29 * DAY },
        });
        await service.post({
          contact_uid: "contact-001",
          event_uid: "seen",
          params: { occurred_at: TODAY - 31 * DAY },
        });
        await service.post({ contact_uid: "ben", event_uid: "theirs" }, {}, `?api_token=${SHOP.apiToken}`);
      });
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const withService = async (work: (service: RunningService) => Promise<void>, options = {}) => {
      const service = await startService({ ...place(), workspaces: [SHOP], ...options });
      try {
        await work(service);
      } finally {
        await service.close();
      }
    };
    const run = (...args: string[]) => runAt(place(), ...args);
    const runAt = async (at: Place, ...args: string[]): Promise<{ out: string; err: string }> => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const [out, err] = [text(stdout), text(stderr)];
      try {
        await runCommand(args, { ...readConfig({}), ...at, workspaces: [SHOP] }, { stdout, stderr, bounds: AT_ONCE });
      } finally {
        stdout.end();
        stderr.end();
      }
      return { out: await out, err: await err };
    };

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
      // An event waits for 30 days at most: an earlier time cannot be, and is none.
      expect(JSON.parse(lines[2]!)).toMatchObject({ occurred_at: null, params: { occurred_at: TODAY - 31 * DAY } });
    });

    it("exports CSV that a spreadsheet takes for text, into a file", async () => {
      const file = join(folder, "events.csv");
      await run("export", "events", "--format", "csv", "--output", file);
      const [header, ...rows] = (await readFile(file, "utf8")).split(/\n(?="[0-9a-f]{8}-)/);
      const names = ["id", "received_at", "occurred_at", "contact_uid", "account_uid", "event_uid", "params"];
      expect(header).toBe(names.map((name) => `"${name}"`).join(","));
      expect(rows).toHaveLength(3);
      expect(rows[0]).toContain(`,"anna, ""A""",,"'=1+1","{""big"":1e400, ""text"":""a\\u0000\\""b"",\n""lines""`);
    });

    it("exports the events of a time, of a workspace, and the records", async () => {
      const tomorrow = new Date(Date.now() + DAY).toISOString();
      expect((await run("export", "--since", tomorrow)).out).toBe("");
      expect((await run("export", "--until", "2020-01-01")).out).toBe("");
      // UTC, whatever the zone of the machine.
      const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16);
      vi.stubEnv("TZ", "America/New_York");
      expect((await run("export", "--since", hour(-1), "--until", hour(1))).out.split("\n")).toHaveLength(4);
      vi.unstubAllEnvs();
      expect((await run("export", "--since", "2020-01-01", "--until", tomorrow)).out.split("\n")).toHaveLength(4);
      expect(JSON.parse((await run("export", "--workspace", "shop")).out)).toMatchObject({ event_uid: "theirs" });
      expect((await run("export", "users")).out.trimEnd().split("\n")).toHaveLength(137);
      const accounts = (await run("export", "accounts")).out.trimEnd().split("\n");
      expect(accounts.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({
          unique_id: "account-01",
          data: expect.objectContaining({ plan: expect.any(String) }),
        }),
      );
      // The demo's, and those that events tell of.
      expect(accounts).toHaveLength(13);
      expect((await run("export", "contacts")).out.trimEnd().split("\n")).toHaveLength(62);
    });

    it("counts what is missing by the numbers of a document, on the day on which that began", async () => {
      expect((await run("loss", "--workspace", "shop")).out).toBe(
        "no event is numbered: its page must have stamp: true\n",
      );
      const began = TODAY - 5 * DAY + 21 * 3_600_000;
      const [first, second] = [TODAY - 5 * DAY, TODAY - 4 * DAY].map((time) =>
        new Date(time).toISOString().slice(0, 10),
      );
      const send = (service: RunningService, digit: number, event_seq: number, more = {}) =>
        service.post({
          contact_uid: `numbered-${event_seq % 2}`,
          event_uid: "n",
          params: {
            ...{ event_id: `${digit}-${event_seq}`, occurred_at: began + event_seq * 3_600_000 },
            ...{ event_seq, event_source: `${digit}0000000-0000-4000-a000-000000000000`, ...more },
          },
        });
      await withService(async (service) => {
        // The first, and one on the next day, are missing; a repeat and what cannot be read as JSON change nothing.
        for (const number of [3, 2, 5, 3]) await send(service, 1, number, { text: "\u0000\ud800" });
        for (const number of [1, 2]) await send(service, 2, number);
        await send(service, 3, 1, { occurred_at: began + DAY });
        // Nobody's: a number far above all others, one of two events, one below the first.
        await send(service, 4, 1);
        await send(service, 4, 9_999_999);
        await send(service, 5, 1);
        await send(service, 5, 1, { event_id: "another" });
        await send(service, 6, 0);
        // A time that cannot be tells of no other day.
        await send(service, 7, 1_000, { occurred_at: 2 ** 53 - 1, event_seq: 1 });
      });
      const lines = [
        "       day   documents      events     missing       aside",
        `${second}           1           1           0           0`,
      ];
      const third = new Date(TODAY - 3 * DAY).toISOString().slice(0, 10);
      expect((await run("loss", "--since", second!, "--until", third)).out).toBe(
        [...lines, "0 of 1 events missing (0.00 %)\n"].join("\n"),
      );
      lines.splice(1, 0, `${first}           2           5           2           3`);
      expect((await run("loss", "--until", third)).out).toBe(
        [...lines, "2 of 8 events missing (25.00 %); set aside, as their numbers cannot be: 3 documents\n"].join("\n"),
      );
      expect((await run("loss", "--since", third)).out).toMatch(/^[\d-]{10} +1 +1 +0 +0$/m);
      for (const contact of ["numbered-0", "numbered-1"]) await run("delete-contact", contact);
    });

    it("exports what there is of one contact, as its answer to a request for access", async () => {
      const events = (await run("export", "--contact", "ben")).out.trimEnd().split("\n");
      expect(events.map((line) => JSON.parse(line).event_uid)).toEqual(["bought"]);
      expect(JSON.parse((await run("export", "contacts", "--contact", "ben")).out)).toMatchObject({
        unique_id: "ben",
        accounts: ["acme"],
      });
      await expect(run("export", "--contact", "bem")).rejects.toThrow('there is no contact "bem"');
    });

    it("writes the rows of a query, which can change nothing", async () => {
      const sql = "SELECT event_uid, 9007199254740993 AS big, null AS none FROM events WHERE workspace = 'shop' -- yes";
      expect((await run("sql", `${sql};`)).out).toBe('{"event_uid":"theirs","big":9007199254740993,"none":null}\n');
      expect((await run("sql", "SELECT 1 AS a, 'x,y' AS b", "--format", "csv")).out).toBe('"a","b"\n"1","x,y"\n');
      await expect(run("sql", "DELETE FROM events")).rejects.toThrow(
        /^the query cannot be answered, it must be one SELECT: /,
      );
      await expect(
        run("sql", "SELECT 1 AS x) AS a; COMMIT; DELETE FROM events; SELECT '{}'::text AS row FROM (SELECT 1"),
      ).rejects.toThrow(/multiple commands/);
      await expect(run("sql", "SELECT set_config('transaction_read_only', 'off', false)")).rejects.toThrow();
      expect((await run("export")).out.trimEnd().split("\n")).toHaveLength(3);
    });

    it("reads as a role of the server that may only read, and says in one line that it may not write", async () => {
      const { databaseUrl } = place();
      if (databaseUrl === undefined) return;
      const client = new pg.Client(databaseUrl);
      await client.connect();
      await client.query("CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
      await client.end();
      const as = (url: string, ...args: string[]) => spawnService({ DATABASE_URL: url }, [SERVICE, ...args]).closed;
      const reader = databaseUrl.replace("test@", "reader@");
      expect(await as(reader, "sql", "SELECT 1 AS a")).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
      expect((await as(reader, "export", "accounts")).code).toBe(0);
      const standby = `${databaseUrl}?options=-c%20default_transaction_read_only%3Don`;
      const refused = await as(standby, "delete-contact", 'anna, "A"');
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toMatch(/^service: the database cannot do this now, it only reads, as a standby .+\n$/);
    });

    it("imports what it has exported, and changes only what a line names", async () => {
      const file = (name: string) => join(folder, name);
      await writeFile(
        file("contacts.ndjson"),
        '{"unique_id":"ben","data":{"name":"Ben"},"accounts":["acme","new \\"one\\""]}\n\n{"unique_id":"zoe","created_at":7}\n',
      );
      await writeFile(
        file("accounts-1.ndjson"),
        '{"unique_id":"acme","data":{"plan":"team"},"stage":{"id":"1","name":"Trial"},"health":7}\n',
      );
      await writeFile(file("users.ndjson"), '{"email":"a@b.example","name":"A","role":"admin","created_at":1}\n');
      expect((await run("import", file("contacts.ndjson"))).err).toBe("imported 2 contacts\n");
      expect((await run("import", file("accounts-1.ndjson"))).err).toBe("imported 1 accounts\n");
      expect((await run("import", file("users.ndjson"))).err).toBe("imported 1 users\n");
      await writeFile(file("contacts-2.ndjson"), '{"unique_id":"zoe","archived":true}');
      await run("import", file("contacts-2.ndjson"));
      for (const table of ["accounts", "contacts", "users"]) {
        const before = (await run("export", table, "--output", file(`${table}-all.ndjson`))).out;
        await run("import", file(`${table}-all.ndjson`));
        expect((await run("export", table)).out, table).toBe(
          before || (await readFile(file(`${table}-all.ndjson`), "utf8")),
        );
      }
      await withService(async (service) => {
        const json = async (path: string) => (await service.get(path)).json();
        const acme = await json("/v2/accounts?uid=acme");
        expect(acme).toMatchObject({ data: { plan: "team" }, stage: { name: "Trial" }, salesmachine: { health: 7 } });
        const ben = await json("/v2/contacts?uid=ben");
        expect(ben.data).toEqual({ name: "Ben" });
        expect(ben.accounts.data).toHaveLength(2);
        expect(ben.accounts.data).toContainEqual({ id: acme.id });
        expect(await json("/v2/contacts?uid=zoe")).toMatchObject({ created_at: 7, archived: true });
        expect((await json("/v2/users?order=asc&limit=1")).data).toMatchObject([{ email: "a@b.example" }]);
      });
    });

    it("imports an export of everything into a new service, equal in all but the ids, a second time without an effect", async () => {
      await writeFile(join(folder, "events-old.ndjson"), `${JSON.stringify(OLD_EVENT)}\n`);
      await run("import", join(folder, "events-old.ndjson"));
      const everything = async (at: Place) => {
        const tables = ["users", "accounts", "contacts", "events"];
        const texts: string[] = [];
        for (const table of tables) texts.push((await runAt(at, "export", table)).out);
        return { tables, texts };
      };
      const here = await everything(place());
      const there: Place = { dataFolder: join(folder, "new"), databaseUrl: undefined };
      await (await openDatabase(there)).close();
      // From there again into this one: what came from here is known by its origin, and by its id.
      for (const [from, to] of [
        [here, there],
        [here, there],
        [here, place()],
      ] as const)
        for (const [index, text] of from.texts.entries()) {
          const file = join(folder, `${from.tables[index]}-moved.ndjson`);
          await writeFile(file, text);
          await runAt(to, "import", file);
        }
      const withoutIds = (text: string) => text.replaceAll(/^\{"id":"[^"]+",/gm, "{");
      const moved = await everything(there);
      expect(moved.texts.slice(0, 3)).toEqual(here.texts.slice(0, 3));
      expect(withoutIds(moved.texts[3]!)).toBe(withoutIds(here.texts[3]!));
      expect(await everything(place())).toEqual(here);
      // The time of its receipt counts, not that of the import.
      const old2020 = ["export", "--since", "2020-01-01", "--until", "2020-02-01"];
      expect(withoutIds((await runAt(there, ...old2020)).out)).toBe(withoutIds(`${JSON.stringify(OLD_EVENT)}\n`));
      expect((await runAt(there, "delete-events", "--older-than", "365")).err).toBe("deleted 1 events\n");
      expect((await run("delete-contact", OLD_EVENT.contact_uid)).err).toContain("and 1 events");
    });

    it.each([
      [
        "accounts.ndjson",
        '{"unique_id":"x"}\n{"uid":"a"}',
        /line 2: it must have required properties unique_id; nothing/,
      ],
      ["contacts.ndjson", '{"unique_id":"x"}\n{"unique_id":"x"}', /line 2: it is of the same record as line 1/],
      ["users.ndjson", "{", /line 1: it is no JSON/],
      ["users.ndjson", '{"email":"x","name":"x","role":"x","enabled":"yes"}', /line 1: enabled must be boolean/],
      [
        "events.ndjson",
        `${JSON.stringify(OLD_EVENT)}\n${JSON.stringify({ ...OLD_EVENT, received_at: "now" })}`,
        /line 2: received_at must be integer; nothing was imported/,
      ],
      ["people.ndjson", "", /must begin with events, accounts, contacts or users/],
    ])("imports nothing of a file that is wrong: %s %s", async (name, lines, message) => {
      await writeFile(join(folder, name), lines);
      await expect(run("import", join(folder, name))).rejects.toThrow(message);
      expect((await run("sql", "SELECT 1 FROM contacts WHERE unique_id = 'x'")).out).toBe("");
    });

    it("makes a workspace and its tokens, which are shown once, and deletes it with all that it has", async () => {
      expect((await run("workspace", "create", "gone")).err).toBe('made the workspace "gone"\n');
      await expect(run("workspace", "create", "gone")).rejects.toThrow('there is a workspace "gone" already');
      expect((await run("workspace", "list")).out).toBe("default\ngone\nshop\n");
      const of = ["--workspace", "gone"];
      const token = (
        await run("token", "create", "site", "--kind", "api", "--expires", "2126-01-31", ...of)
      ).out.trim();
      const next = (await run("token", "rotate", "site", "--keep", "1", ...of)).out.trim();
      const listed = (await run("token", "list")).out;
      expect(listed.match(/"workspace":"gone","kind":"api","name":"site"/g)).toHaveLength(2);
      expect(listed).not.toMatch(`${token}|${next}`);
      await withService(async (service) => {
        const event = { contact_uid: "ben", event_uid: "left", params: { account_uid: "acme" } };
        for (const one of [token, next]) expect((await service.post(event, {}, `?api_token=${one}`)).status).toBe(200);
      });
      expect((await run("token", "revoke", "site", ...of)).err).toBe(
        'revoked the token "site" of the workspace gone\n',
      );
      expect((await run("token", "list")).out).toBe("");
      await expect(run("workspace", "delete", "shop")).rejects.toThrow('"shop" is in use');
      expect((await run("workspace", "delete", "gone")).err).toBe(
        'deleted the workspace "gone": 2 events, 2 accounts, contacts and users\n',
      );
      await expect(run("workspace", "delete", "gone")).rejects.toThrow('there is no workspace "gone"');
      expect((await run("export", "--contact", "ben")).out).not.toBe("");
    });

    it("deletes a contact with all that it has, names who is left, and takes a typing error for none", async () => {
      await withService(async (service) => {
        for (const [contact_uid, of] of [
          ["Ben", ""],
          ["carl", "ben"],
          ["carl", "bench"],
        ])
          await service.post({ contact_uid, event_uid: "invited", params: { of } });
      });
      await expect(run("delete-contact", "nobody-such")).rejects.toThrow(
        /^there is no contact "nobody-such" in the workspace default$/,
      );
      await expect(run("delete-contact", "BEN")).rejects.toThrow(/by case alone differ "Ben", "ben"$/);
      expect((await run("delete-contact", "contact-001")).err).toBe('deleted the contact "contact-001" and 1 events\n');
      expect((await run("delete-contact", "ben")).err).toBe(
        'deleted the contact "ben" and 1 events; by case alone differ "Ben"\n' +
          "1 events name it in their params: repeat with --everywhere to delete these\n",
      );
      expect((await run("delete-contact", "ben", "--everywhere")).err).toBe(
        "deleted 1 events of others that name it\n",
      );
      await expect(run("delete-contact", "ben", "--everywhere")).rejects.toThrow("there is no contact");
      expect((await run("export")).out.match(/"of":"bench?"/g)).toEqual(['"of":"bench"']);
      for (const uid of ["Ben", "carl"]) await run("delete-contact", uid);
      await withService(async (service) => {
        for (const uid of ["contact-001", "ben"])
          expect((await service.get(`/v2/contacts?uid=${uid}`)).status).toBe(404);
        const theirs = { authorization: `Bearer ${SHOP.accessToken}` };
        expect((await service.get("/v2/contacts?uid=ben", theirs)).status).toBe(200);
        expect((await service.events('anna, "A"')).rows).toHaveLength(1);
        // Who comes back is a contact again.
        const params = { occurred_at: Date.now() };
        await service.post({ contact_uid: "contact-001", event_uid: "again", params });
        expect(await (await service.get("/v2/contacts?uid=contact-001")).json()).toMatchObject({
          data: {},
          accounts: { data: [] },
        });
      });
    });

    const storeOld = async (days: number, amount: number) => {
      const database = await openDatabase(place(), seed);
      const ids = Array.from({ length: amount }, (_, index) => idAt(Date.now() - days * DAY + index));
      await database.query(
        `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
       SELECT $1, id, 'default', 'old', $2, 1, '{}' FROM unnest($3::uuid[]) AS row (id)`,
        [recordId("contact", "old"), `${days} days`, ids],
      );
      await database.close();
    };

    it("deletes events by name and time, once it has said how many these are", async () => {
      await storeOld(40, 2);
      const which = ["delete-events", "--name", "40 days", "--until", "2000-01-01"];
      const told = "these are 2 events: repeat with --yes to delete them\n";
      for (const _ of [1, 2]) expect((await run(...which)).err).toBe(told);
      expect((await run(...which, "--since", "1971-01-01", "--yes")).err).toBe("deleted 0 events\n");
      expect((await run("delete-events", "--name", "40 day", "--yes")).err).toBe("deleted 0 events\n");
      expect((await run(...which, "--yes")).err).toBe("deleted 2 events\n");
      expect((await run(...which)).err).toBe(told.replace("2", "0"));
    });

    it("deletes events by their age, however many, by command and while the service runs", async () => {
      await storeOld(40, 12_001);
      await storeOld(20, 2);
      expect((await run("delete-events", "--older-than", "30")).err).toBe("deleted 12001 events\n");
      expect((await run("delete-events", "--older-than", "30")).err).toBe("deleted 0 events\n");
      await withService(
        async (service) => {
          await until(async () => ((await service.events("old")).rows.length === 0 ? true : undefined));
        },
        { retentionDays: 10 },
      );
      expect((await run("export")).out.trimEnd().split("\n")).toHaveLength(2);
    });

    it.each([
      [["help"], "delete-contact"],
      [["--help"], "delete-contact"],
      [["export", "-h"], "--since <time>"],
    ])("tells how it is used: %j", async (args, told) => expect((await run(...args)).out).toContain(told));

    it.each([
      [["exprot"], /unknown command 'exprot' \(Did you mean export\?\); see npm run service -- help$/],
      [["export", "all"], /'all' is invalid .+ are events, contacts, accounts, users/],
      [["export", "--format", "xml"], /--format .+ 'xml' is invalid. Allowed choices are ndjson, csv/],
      [["export", "--since", "yesterday"], /--since .+'yesterday' .+ must be a day or a time/],
      [["export", "--since", "2026-02-30"], /--since .+'2026-02-30' .+ must be a day or a time/],
      [
        ["export", "--output", "/nowhere/at/all.csv"],
        /--output \/nowhere\/at\/all.csv cannot be written: there is no such file or folder$/,
      ],
      [["export", "users", "--contact", "ben"], /--contact is for events and contacts/],
      [["import", "/nowhere/users.ndjson"], /users.ndjson cannot be read: there is no such file or folder$/],
      [["export", "users", "--since", "2026-01-01"], /for events/],
      [["export", "--workspace", "nobody"], /no workspace "nobody"/],
      [["workspace", "create", "Shop"], /the name of a workspace has 1 to 64 letters a to z, digits and -/],
      [["token", "create", "site"], /'--kind <kind>' not specified/],
      [
        ["token", "create", "site", "--kind", "api", "--expires", "2020-01-01"],
        /must be a day .+ and be later than now/,
      ],
      [["token", "rotate", "nothing"], /there is no token "nothing" in the workspace default/],
      [["loss", "--format", "csv"], /unknown option '--format'/],
      [["delete-contact"], /missing required argument 'uid'/],
      [["delete-contact", "a", "b"], /too many arguments/],
      [["delete-events", "--yes"], /say which events: --older-than <days>, or --name/],
      [["delete-events", "--older-than", "1.5"], /must be a number of days/],
    ])("says what is wrong with a command: %j", (args, message) => expect(run(...args)).rejects.toThrow(message));
  },
  { opensOften: true },
);

it("is the command line of the built service, makes no database, and ends quietly when nobody reads on", async () => {
  const data = await mkdtemp(join(tmpdir(), "tracklet-cli-"));
  const main = fileURLToPath(new URL("../../../.service/main.js", import.meta.url));
  const command = async (args: string[], readOn = true) => {
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, [main, ...args], { env: { PATH, TRACKLET_DATA: data } });
    const [out, err] = [readOn ? text(child.stdout) : "", text(child.stderr)];
    if (!readOn) child.stdout.destroy();
    const [code] = await once(child, "close");
    return { code, out: await out, err: await err };
  };
  const absent = { code: 1, out: "", err: expect.stringMatching(`^service: there is no database in ${data} .+\n$`) };
  expect(await command(["export"])).toEqual(absent);
  expect(await readdir(data)).toEqual([]);
  // While the service runs, the embedded database is read through it, and changed by it alone.
  const service = spawnService({ TRACKLET_DATA: data });
  await service.ready();
  const users = await command(["export", "users", "--format", "csv"]);
  expect(users).toMatchObject({ code: 0, err: "" });
  expect(users.out.trimEnd().split("\n")).toHaveLength(138);
  expect(await command(["sql", "SELECT count(*) AS users FROM users"])).toEqual({
    code: 0,
    out: '{"users":137}\n',
    err: "",
  });
  expect(await command(["sql", "SELECT nothing"])).toMatchObject({ code: 1, err: expect.stringContaining("nothing") });
  expect(await command(["delete-contact", "contact-001"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("in use"),
  });
  expect((await stat(join(data, "service.socket"))).mode & 0o777).toBe(0o600);
  await service.stop("SIGTERM");
  expect(await command(["export", "users"], false)).toMatchObject({ code: 0, err: "" });
  expect(await command(["nothing"])).toMatchObject({
    code: 1,
    out: "",
    err: "service: unknown command 'nothing'; see npm run service -- help\n",
  });
  await rm(data, { recursive: true, force: true });
});
