import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { addWorkspace } from "../../../src/service/access/token-store.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { type Mapped, type Reading, readMapping } from "../../../src/service/person/mapping.js";
import { dataFolder } from "../../support/data-folder.js";
import { overDatabase } from "../support/over-database.js";
import { runTold } from "../support/told-command.js";

const mapping = (tool: string): string =>
  fileURLToPath(new URL(`../../../src/service/deploy/mappings/${tool}.json`, import.meta.url));

/** Lines as the two tools export them. */
const EXPORTS = {
  segment: [
    '{"type":"track","event":"Order Completed","userId":"anna","anonymousId":"x1","messageId":"m-1","timestamp":"2024-03-01T10:00:00.250Z","receivedAt":"2024-03-01T10:00:01Z","properties":{"total":1.10,"id":12345678901234567890},"context":{"groupId":"acme"}}',
    '{"type":"page","name":"Home","userId":"anna","anonymousId":"x1","messageId":"m-2","timestamp":"2024-03-01T09:59:00Z","receivedAt":"2024-03-01T09:59:01Z","properties":{"url":"https://shop.example/"},"context":{"page":{"referrer":"https://search.example/"}}}',
  ],
  posthog: [
    '{"uuid":"018e0000-0000-7000-8000-000000000001","event":"$pageview","distinct_id":"ben","timestamp":"2024-03-01T10:00:00.123000+00:00","created_at":"2024-03-01 10:00:02.000000","properties":{"$current_url":"https://shop.example/a","$groups":{"company":"acme"}}}',
    '{"uuid":"018e0000-0000-7000-8000-000000000002","event":"signed up","distinct_id":7,"timestamp":1709287201,"created_at":null,"properties":{}}',
  ],
};

describe("a mapping", () => {
  it.each([
    ["{", /^it is no JSON$/],
    ["[]", /^it must be object$/],
    ["{}", /contact_uid/],
    ['{"contact_uid":"a","event_uid":"b","received_at":"c","param":"d"}', /^param is not known$/],
    ['{"contact_uid":5,"event_uid":"b","received_at":"c"}', /^contact_uid must/],
  ])("that is wrong is refused in words: %s", (text, words) => expect(readMapping(text)).toMatch(words));

  it("keeps what the params have, letter by letter, before what it adds", () => {
    const map = readMapping(
      '{"contact_uid":"a","event_uid":"b","received_at":"c","params":"p","add":{"x":"o.x","y":"o.y","z":"o.z"}}',
    );
    const line = '{"p":{"x":1.0},"o":{"x":2,"y":[3.00],"z":null}}';
    expect(((map as Reading).event(line) as Mapped).params).toBe('{"x":1.0,"y":[3.00]}');
  });
});

overDatabase((place) => {
  let folder: string;
  beforeAll(async () => {
    const database = await openDatabase(place());
    await addWorkspace(database.query, "default");
    await database.close();
    folder = await dataFolder();
    await run("workspace", "create", "copy");
  });

  const run = (...args: string[]) => runTold(place(), ...args);
  const rows = async (...args: string[]) =>
    (await run("export", ...args)).out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const file = async (name: string, lines: string[]): Promise<string> => {
    await writeFile(join(folder, name), lines.join("\n"));
    return join(folder, name);
  };
  const day = (time: string): number => Date.parse(`2024-03-01T${time}Z`);

  it("brings in the exports of other tools, once however often", async () => {
    for (const [tool, lines] of Object.entries(EXPORTS) as [keyof typeof EXPORTS, string[]][]) {
      const from = await file(`events-${tool}.ndjson`, lines);
      for (const told of ["imported 2 events\n", "2 of 2 events were here already\nimported 0 events\n"])
        expect((await run("import", from, "--map", mapping(tool))).err).toBe(`1 of 2 events have no account\n${told}`);
    }
    const found = await rows("events", "--since", "2024-03-01", "--until", "2024-03-02");
    const event = (contact_uid: string, event_uid: string, received_at: number, more: object) =>
      expect.objectContaining({ contact_uid, event_uid, received_at, ...more });
    expect(found).toEqual([
      event("anna", "Order Completed", day("10:00:01"), { occurred_at: day("10:00:00.250"), account_uid: "acme" }),
      event("anna", "pageview", day("09:59:01"), {
        params: {
          ...{ url: "https://shop.example/", visit_url: "https://shop.example/" },
          ...{ referrer: "https://search.example/", name: "Home" },
        },
      }),
      event("ben", "pageview", day("10:00:02"), { occurred_at: day("10:00:00.123"), account_uid: "acme" }),
      event("7", "signed up", day("10:00:01"), { params: {} }),
    ]);
    expect((await run("export")).out).toContain(
      '"params":{"total":1.10,"id":12345678901234567890,"account_uid":"acme"}',
    );
    expect((await rows("contacts", "--contact", "ben"))[0]).toMatchObject({ accounts: ["acme"] });
  });

  it("makes no events of what Segment tells of people, and leaves out whom nobody has named, until that is asked for", async () => {
    const call = (type: string, id: string, rest: object) =>
      JSON.stringify({ type, messageId: id, receivedAt: "2024-03-02T10:00:00Z", ...rest });
    const lines = [
      call("identify", "i-1", { userId: "dora", traits: { plan: "free", name: "Dora" } }),
      call("identify", "i-2", { userId: "dora", anonymousId: "x", traits: { plan: "team" } }),
      call("identify", "i-3", { anonymousId: "x", traits: { plan: "none" } }),
      call("group", "i-4", { userId: "dora", groupId: "acme", traits: {} }),
      call("track", "i-5", { anonymousId: "x", event: "looked" }),
      call("track", "i-6", { userId: "dora", event: "signed up" }),
    ];
    const from = await file("events-calls.ndjson", lines);
    await run(
      "import",
      await file("contacts.ndjson", ['{"unique_id":"dora","created_at":1,"data":{"own":1,"plan":"old"}}']),
    );
    const args = ["import", from, "--map", mapping("segment")];
    expect((await run(...args)).err).toBe(
      [
        "left out 2 lines of the kind identify, which are no events",
        "left out 2 lines of anonymous visitors, which --anonymous imports",
        "left out 1 lines of the kind group",
        "1 of 1 events have no account",
        "took the traits of 2 lines into their contacts",
        "imported 1 events",
        "",
      ].join("\n"),
    );
    expect((await rows("contacts", "--contact", "dora"))[0]).toMatchObject({
      created_at: 1,
      data: { own: 1, plan: "team", name: "Dora" },
    });
    expect((await run(...args, "--anonymous")).err).toContain("1 of 2 events were here already\n");
    expect((await rows("events", "--contact", "x")).map(({ event_uid }) => event_uid)).toEqual(["looked"]);
    expect((await rows("contacts", "--contact", "x"))[0]).toMatchObject({ data: { plan: "none" } });
  });

  it("names wrong lines by their numbers, and imports nothing, or all others", async () => {
    const line = EXPORTS.segment[0]!;
    const lines = [
      line.replace("m-1", "m-3"),
      "",
      "{",
      line.replace('"anna"', '""').replace('"x1"', "null"),
      line.replace("m-1", "m-4"),
    ];
    const from = await file("events-wrong.ndjson", lines);
    const before = (await rows()).length;
    const args = ["import", from, "--map", mapping("segment")];
    await expect(run(...args)).rejects.toThrow(/events-wrong\.ndjson, line 3: it is no JSON; nothing was imported$/);
    expect(await rows()).toHaveLength(before);
    expect((await run(...args, "--skip-wrong")).err).toMatch(
      /^line 3 is left out: it is no JSON\nline 4 is left out: .*contact_uid.*\n2 lines are wrong and left out, 2 are right\nimported 2 events\n$/,
    );
    expect(await rows()).toHaveLength(before + 2);
    await expect(run("import", from, "--map", join(folder, "none"))).rejects.toThrow(
      /^--map .* cannot be read: there is no/,
    );
    await expect(run("import", from, "--map", from)).rejects.toThrow(/^--map .*: it is no JSON$/);
    await expect(run("import", await file("users.ndjson", []), "--map", mapping("segment"))).rejects.toThrow(
      "--map is for events",
    );
  });

  it("copies a workspace into another one, once however often", async () => {
    const users = await file("users.ndjson", ['{"email":"u@e.f","name":"U","role":"admin"}']);
    const contacts = await file("contacts.ndjson", ['{"unique_id":"anna","data":{"n":1},"accounts":["acme"]}']);
    for (const one of [users, contacts]) await run("import", one);
    const all = await rows();
    const without = (list: Record<string, unknown>[]) => list.map(({ id, ...rest }) => rest);
    const tables = ["contacts", "accounts", "users"];
    let records = 0;
    for (const table of tables) records += (await rows(table)).length;
    const copied = (events: number) =>
      `copied ${events} events, and ${records} accounts, contacts and users, into the workspace "copy"\n`;
    for (const told of [copied(all.length), `${all.length} of ${all.length} events were here already\n${copied(0)}`])
      expect((await run("workspace", "copy", "default", "copy")).err).toBe(told);
    expect(without(await rows("--workspace", "copy"))).toEqual(without(all));
    for (const table of tables) {
      const byText = (list: object[]) =>
        without(list as never)
          .map((row) => JSON.stringify(row))
          .sort();
      expect(byText(await rows(table, "--workspace", "copy"))).toEqual(byText(await rows(table)));
    }
    await expect(run("workspace", "copy", "default", "none")).rejects.toThrow('there is no workspace "none"');
    await expect(run("workspace", "copy", "copy", "copy")).rejects.toThrow("into itself");
  });
});
