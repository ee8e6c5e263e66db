import { expect, it } from "vitest";
import { useCommands } from "../support/command-line.js";

const { run, withService } = useCommands();

it("makes a workspace and its tokens, which are shown once, and deletes it with all that it has", async () => {
  expect((await run("workspace", "create", "gone")).err).toBe('made the workspace "gone"\n');
  await expect(run("workspace", "create", "gone")).rejects.toThrow('there is a workspace "gone" already');
  expect((await run("workspace", "list")).out).toBe("default\ngone\nshop\n");
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
  await expect(run("workspace", "delete", "gone")).rejects.toThrow(
    /has 2 events, 2 accounts, contacts and users; nothing was deleted: repeat with --yes$/,
  );
  expect((await run("workspace", "delete", "gone", "--yes")).err).toBe(
    'deleted the workspace "gone": 2 events, 2 accounts, contacts and users\n',
  );
  await expect(run("workspace", "delete", "gone")).rejects.toThrow('there is no workspace "gone"');
  expect((await run("export", "--contact", "ben")).out).not.toBe("");
});

it("copies a workspace into another one, once however often", async () => {
  const tables = ["events", "contacts", "accounts", "users"];
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
  const [events, ...records] = all.map((lines) => lines.filter(Boolean).length) as [number, ...number[]];
  const told = (events: number) =>
    `copied ${events} events, and ${records.reduce((sum, one) => sum + one)} accounts, contacts and users, into the workspace "copy"\n`;
  for (const said of [told(events), `${events} of ${events} events were here already\n${told(0)}`])
    expect((await run("workspace", "copy", "default", "copy")).err).toBe(said);
  expect(await rows("copy")).toEqual(all);
  await expect(run("workspace", "copy", "default", "none")).rejects.toThrow('there is no workspace "none"');
  await expect(run("workspace", "copy", "copy", "copy")).rejects.toThrow("into itself");
});
