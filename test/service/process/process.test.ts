import { once } from "node:events";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { idAt } from "../../../src/service/database/event-id.js";
import { writeState } from "../../../src/service/database/service-state.js";
import { dataFolder } from "../../support/data-folder.js";
import { storedEvents, withQuery } from "../support/database.js";
import { refusalOf, useFolder } from "../support/fixtures.js";
import { until } from "../support/service.js";
import { IN_CONTAINER, metricsOf, postAsDemo, spawnService } from "../support/service-process.js";
import { runTold } from "../support/told-command.js";

const folder = useFolder();
const data = join(folder, "data");
const started: ReturnType<typeof spawnService>[] = [];
const start = (environment: Record<string, string> = {}, through: readonly string[] = []) => {
  const service = spawnService({ TRACKLET_DATA: data, ...environment }, undefined, through);
  started.push(service);
  return service;
};
afterAll(() => Promise.all(started.map((service) => service.stop("SIGKILL"))));

const stored = async (dataFolder: string): Promise<string[]> =>
  (await storedEvents({ dataFolder, databaseUrl: undefined })).map(({ event_uid }) => event_uid);

it("says in one line what is wrong with a variable, its port, or its data folder", async () => {
  expect(await refusalOf(start({ TRACKLET_SERVICE_PORT: "70000" }))).toBe(
    'service: TRACKLET_SERVICE_PORT must be an integer from 0 to 65535, but is "70000"\n',
  );
  const neighbour = createServer().listen(0, "127.0.0.1");
  await once(neighbour, "listening");
  const { port } = neighbour.address() as AddressInfo;
  const taken = await refusalOf(
    start({ TRACKLET_DATA: await dataFolder(folder), TRACKLET_SERVICE_PORT: String(port) }),
  );
  neighbour.close();
  expect(taken).toMatch(new RegExp(`^service: port ${port} at 127\\.0\\.0\\.1 is in use: .+\n$`));

  // A frozen process holds its folder, also against one in a container of its own, where its process id says nothing.
  const first = start();
  await first.ready();
  const words = `^service: the data folder ${data} is in use by process`;
  expect(await refusalOf(start())).toMatch(new RegExp(`${words} ${first.process.pid} of \\S+, or its server: .+\n$`));
  first.process.kill("SIGSTOP");
  expect(await refusalOf(start({}, IN_CONTAINER))).toMatch(new RegExp(`${words} \\d+ of .+\n$`));
  first.process.kill("SIGCONT");
  await first.stop("SIGTERM");

  const [file, broken, partial] = [join(folder, "a-file"), await dataFolder(folder), await dataFolder(folder)];
  await writeFile(file, "");
  await writeFile(join(broken, "cluster/global/pg_control"), Buffer.alloc(8_192));
  // As where it was copied in part.
  await rm(join(partial, "cluster/pg_wal"), { recursive: true });
  // As of a disk that is another one.
  const others = join(folder, "others");
  for (const path of [others, join(others, "lost+found"), join(others, "photos")]) await mkdir(path);
  const mend = "put a backup .+ or set TRACKLET_DATA to a new folder\n$";
  for (const [path, words] of [
    [file, "cannot use the data folder .+a-file .+TRACKLET_DATA.+\n$"],
    [broken, `cannot open the database in \\S+ \\(database files are incompatible with server\\): ${mend}`],
    [partial, `cannot open the database in \\S+ \\(required WAL directory "pg_wal" does not exist\\): ${mend}`],
    [
      others,
      "there is no database in \\S+others, and a new one is not made beside files of others \\(photos\\): .+\n$",
    ],
  ] as const)
    expect(await refusalOf(start({ TRACKLET_DATA: path }))).toMatch(new RegExp(`^service: ${words}`));
  expect((await readdir(others)).sort()).toEqual(["lost+found", "photos", "service.lock"]);
});

it("begins afresh after a first start that was killed half-way", async () => {
  const data = join(folder, "interrupted");
  await mkdir(join(data, "making", "base"), { recursive: true });
  const service = start({ TRACKLET_DATA: data });
  const url = await service.ready();
  expect((await postAsDemo(url, "first")).status).toBe(200);
  expect(await stored(data)).toEqual(["first"]);
  expect(await service.stop("SIGTERM")).toMatchObject({ code: 0 });
  expect((await stat(join(data, "cluster"))).mode & 0o777).toBe(0o700);
  expect((await readdir(data)).sort()).toEqual(["cluster", "service.lock"]);
});

it("says that its database is new, that it has no token, and what has no limit, and takes a token that a command makes", async () => {
  const place = { TRACKLET_DATA: join(folder, "new"), TRACKLET_DEMO: "off" };
  const warned = (service: ReturnType<typeof start>) => service.stdout().match(/"level":"warn".*/g) ?? [];
  let service = start(place);
  let url = await service.ready();
  expect(warned(service)).toEqual([
    expect.stringContaining(`a PostgreSQL of its own in ${place.TRACKLET_DATA} is a new and empty database, made now`),
    expect.stringContaining("there is no token, so nobody can send events or read them"),
    ...["RATE_LIMIT", "ADDRESS_QUOTA_MB", "TOKEN_QUOTA_MB", "ADDRESS_RECORDS"].map((name) =>
      expect.stringContaining(`TRACKLET_${name} is 0, which is no limit`),
    ),
  ]);
  const config = { dataFolder: place.TRACKLET_DATA, databaseUrl: undefined };
  const token = (await runTold(config, "token", "create", "website", "--kind", "api")).out.trim();
  const post = () =>
    fetch(`${url}/v1/track/event?api_token=${token}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"contact_uid":"anna","event_uid":"came"}',
    });
  await until(async () => (await post()).status === 200);
  const wrong = () => fetch(`${url}/v2/users`, { headers: { authorization: "Bearer a-wrong-guess" } });
  for (const _ of [1, 2]) expect((await wrong()).status).toBe(401);
  await expect
    .poll(() => warned(service).filter((line) => /a wrong token was sent for records/.test(line)))
    .toHaveLength(1);
  expect(await metricsOf(url)).toMatch(/^tracklet_wrong_tokens_total\{realm="records"\} 2$/m);
  expect(await metricsOf(url)).toMatch(/^tracklet_new_contacts_total 1$/m);
  await service.stop("SIGTERM");
  // What a command has done is in the log a minute later; here that is over.
  await withQuery(config, async (query) => {
    await query("UPDATE audit SET id = $1", [idAt(Date.now() - 90_000)]);
    await writeState(query, { audit_told: Date.now() - 600_000, "due audit": 0 });
  });
  service = start(place);
  url = await service.ready();
  await until(() => /a command: made the token \\"website\\", which is for api/.exec(service.stdout()) ?? undefined);
  expect(warned(service).filter((line) => /new and empty|no token/.test(line))).toEqual([]);
  await service.stop("SIGTERM");
});
