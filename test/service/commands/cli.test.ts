import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { useCommands } from "../support/fixtures.js";
import { spawnService } from "../support/service-process.js";

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
  const data = await mkdtemp(join(tmpdir(), "tracklet-cli-"));
  const main = fileURLToPath(new URL("../../../build/service/main.js", import.meta.url));
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
  // While the service runs, commands work on its server, and need not say on which database.
  const service = spawnService({ TRACKLET_DATA: data });
  await service.ready();
  await writeFile(join(data, "users.ndjson"), '{"email":"a@b.example","name":"A","role":"admin"}\n');
  const imported = await command(["import", join(data, "users.ndjson")]);
  expect(imported).toEqual({ code: 0, out: "", err: "imported 1 users\n" });
  const counted = await command(["sql", "SELECT count(*) AS users FROM users"]);
  expect(counted).toEqual({ code: 0, out: '{"users":1}\n', err: "" });
  expect(await command(["sql", "SELECT nothing"])).toMatchObject({ code: 1, err: expect.stringContaining("nothing") });
  await service.stop("SIGTERM");
  const where = `works on a PostgreSQL of its own in ${data}, where no service runs\n`;
  expect(await command(["export", "users"], false)).toMatchObject({ code: 0, err: where });
  await rm(data, { recursive: true, force: true });
});
