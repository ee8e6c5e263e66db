import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useCommands, useFolder } from "../support/fixtures.js";
import { SERVICE, spawnService } from "../support/service-process.js";

const data = useFolder();
const { run } = useCommands();

it.each([
  [["help"], "erase"],
  [["--help"], "erase"],
  [["export", "-h"], "--since <time>"],
])("tells how it is used: %j", async (args, told) => expect((await run(...args)).out).toContain(told));

it.each([
  [["exprot"], /unknown command 'exprot' \(Did you mean export\?\); see tracklet-service help$/],
  [["export", "all"], /'all' is invalid .+ are events, contacts, accounts, users/],
  [["export", "--format", "xml"], /--format .+ 'xml' is invalid. Allowed choices are ndjson, csv/],
  [["export", "--since", "yesterday"], /--since .+'yesterday' .+ must be a day or a time/],
  [["export", "--since", "2026-11"], /--since .+'2026-11' .+ must be a day or a time/],
  [["loss", "--until", "01.11.2026"], /--until .+'01.11.2026' .+ must be a day or a time/],
  [["export", "--since", "2026-02-30"], /--since .+'2026-02-30' .+ must be a day or a time/],
  [["export", "users", "--contact", "ben"], /--contact is for events and contacts/],
  [["import", "/nowhere/users.ndjson"], /users.ndjson cannot be read: there is no such file or folder$/],
  [["export", "users", "--since", "2026-01-01"], /for events/],
  [["export", "--workspace", "nobody"], /no workspace "nobody"/],
  [["workspace", "create", "Shop"], /the name of a workspace has 1 to 64 letters a to z, digits and -/],
  [["token", "create", "site"], /'--kind <kind>' not specified/],
  [["token", "create", "site", "--kind", "api", "--expires", "2020-01-01"], /must be a day .+ and be later than now/],
  [["token", "rotate", "nothing"], /there is no token "nothing" in the workspace default/],
  [["loss", "--format", "csv"], /unknown option '--format'/],
  [["erase"], /name a uid, or --file/],
  [["erase", "a", "b"], /too many arguments/],
  [["delete-events", "--yes"], /say which events: --older-than <days>, or --name/],
  [["delete-events", "--older-than", "1.5"], /must be a number of days/],
])("says what is wrong with a command: %j", (args, message) => expect(run(...args)).rejects.toThrow(message));

it("is the command line of the built service, makes no database, and ends quietly when nobody reads on", async () => {
  const command = (...args: string[]) => spawnService({ TRACKLET_DATA: data }, [SERVICE, ...args]);
  const absent = expect.stringMatching(`^service: there is no database in ${data} .+\n$`);
  expect(await command("export").closed).toEqual({ code: 1, stdout: "", stderr: absent });
  expect(await readdir(data)).toEqual([]);
  // While the service runs, commands work on its server, and need not say on which database.
  const service = spawnService({ TRACKLET_DATA: data });
  await service.ready();
  await writeFile(join(data, "users.ndjson"), '{"email":"a@b.example","name":"A","role":"admin"}\n');
  const imported = await command("import", join(data, "users.ndjson")).closed;
  expect(imported).toEqual({ code: 0, stdout: "", stderr: "imported 1 users\n" });
  const counted = await command("sql", "SELECT count(*) AS users FROM users").closed;
  expect(counted).toEqual({ code: 0, stdout: '{"users":1}\n', stderr: "" });
  const wrong = { code: 1, stderr: expect.stringContaining("nothing") };
  expect(await command("sql", "SELECT nothing").closed).toMatchObject(wrong);
  await service.stop("SIGTERM");
  const where = `works on a PostgreSQL of its own in ${data}, where no service runs\n`;
  const unread = command("export", "users");
  unread.process.stdout.destroy();
  expect(await unread.closed).toMatchObject({ code: 0, stderr: where });
});
