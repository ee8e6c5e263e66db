import { expect, it } from "vitest";
import { useCommands } from "../support/fixtures.js";

const { run, withService } = useCommands();

it("makes a workspace and its tokens, which are shown once, and deletes it with all that it has", async () => {
  expect((await run("workspace", "create", "gone")).err).toBe('made the workspace "gone"\n');
  await expect(run("workspace", "create", "gone")).rejects.toThrow('there is a workspace "gone" already');
  expect((await run("workspace", "list")).out).toBe("default\ngone\nshop\n");
  for (const then of ["; what is there is counted anew, the newest day first", " already"])
    expect((await run("workspace", "zone", "gone", "Europe/Berlin")).err).toBe(
      `the days of the workspace "gone" are those of Europe/Berlin${then}\n`,
    );
  const of = ["--workspace", "gone"];
  const token = (await run("token", "create", "site", "--kind", "api", "--expires", "2126-01-31", ...of)).out.trim();
  const next = (await run("token", "rotate", "site", "--keep", "1", ...of)).out.trim();
  const listed = (await run("token", "list")).out;
  expect(listed.match(/"workspace":"gone","kind":"api","name":"site"/g)).toHaveLength(2);
  expect(listed).not.toMatch(`${token}|${next}`);
  await withService(async (service) => {
    const event = { contact_uid: "ben", event_uid: "left", params: { account_uid: "acme" } };
    for (const one of [token, next]) expect((await service.post(event, {}, `?api_token=${one}`)).status).toBe(200);
  });
  expect((await run("token", "revoke", "site", ...of)).err).toBe('revoked the token "site" of the workspace gone\n');
  expect((await run("token", "list")).out).toBe("");
  await expect(run("workspace", "delete", "shop")).rejects.toThrow('"shop" is in use');
  expect((await run("workspace", "delete", "gone")).err).toBe(
    'the workspace "gone" has 2 events, 2 accounts, contacts and users: repeat with --yes to delete them\n',
  );
  expect((await run("workspace", "delete", "gone", "--yes")).err).toBe(
    'deleted the workspace "gone": 2 events, 2 accounts, contacts and users\n',
  );
  await expect(run("workspace", "delete", "gone")).rejects.toThrow('there is no workspace "gone"');
  expect((await run("export", "--contact", "ben")).out).not.toBe("");
});

it("copies a workspace into another one, once however often", async () => {
  const tables = ["users", "accounts", "contacts", "events"];
  /** The rows of each table, without the ids. */
  const rows = async (workspace: string) => {
    const found: string[][] = [];
    for (const table of tables)
      found.push(
        (await run("export", table, "--workspace", workspace)).out
          .split("\n")
          .map((line) => line.replace(/"id":"[^"]+",/, ""))
          .sort(),
      );
    return found;
  };
  await run("workspace", "create", "copy");
  const all = await rows("default");
  const copy = async () => (await run("workspace", "copy", "default", "copy")).err;
  const told = all.map((lines, at) => `imported ${lines.filter(Boolean).length} ${tables[at]}\n`).join("");
  expect(all.flat().length).toBeGreaterThan(100);
  expect((await copy()).replace(/.* have no account\n/, "")).toBe(told);
  expect(await copy()).toContain("events were here already\nimported 0 events\n");
  expect(await rows("copy")).toEqual(all);
  await expect(run("workspace", "copy", "default", "none")).rejects.toThrow('there is no workspace "none"');
  await expect(run("workspace", "copy", "none", "copy")).rejects.toThrow('there is no workspace "none"');
  await expect(run("workspace", "copy", "copy", "copy")).rejects.toThrow("into itself");
});
