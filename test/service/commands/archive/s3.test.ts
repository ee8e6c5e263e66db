import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import repository from "../../../../package.json" with { type: "json" };
import { loadOnFirstUse } from "../../../../src/service/commands/archive/stores/first-use.js";
import { openBucket } from "../../../../src/service/commands/archive/stores/s3-store.js";
import { openExisting } from "../../../../src/service/database/open-database.js";
import service from "../../../../src/service/package.json" with { type: "json" };
import { commandsAt } from "../../support/command-line.js";
import { overDatabase } from "../../support/over-database.js";
import { eventsInFiles, eventsInTable } from "./files.js";

interface Bucket {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}
/** It has no types. */
const S3rver = createRequire(import.meta.url)("s3rver") as new (options: object) => Bucket;

const PLACE = "s3://events/of/ours";

overDatabase((place) => {
  const { run } = commandsAt(place);
  let folder: string;
  let bucket: Bucket;
  const serve = (url: string) => {
    for (const [name, value] of Object.entries({
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    }))
      vi.stubEnv(name, value);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tracklet-s3-"));
    bucket = new S3rver({
      port: 0,
      address: "127.0.0.1",
      silent: true,
      directory: folder,
      configureBuckets: [{ name: "events", configs: [] }],
    });
    const { port } = await bucket.run();
    serve(`http://127.0.0.1:${port}`);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await bucket.close();
    await rm(folder, { recursive: true });
  });

  /** What lies in the bucket, as files of a folder. */
  const download = async (): Promise<string> => {
    const to = await mkdtemp(join(folder, "copy-"));
    const store = await openBucket(PLACE, () => {});
    for (const name of await readdir(join(folder, "events/of/ours"), { recursive: true })) {
      const [, file] = /^(.+\.parquet)\._S3rver_object$/.exec(name) ?? [];
      if (file === undefined) continue;
      await mkdir(dirname(join(to, file)), { recursive: true });
      await writeFile(join(to, file), (await store.read(file))!);
    }
    await store.close();
    return to;
  };

  it("holds an archive as a folder does: each event once, and nobody who was erased", async () => {
    const { query, close } = await openExisting(place());
    const archive = (...args: string[]) => run("archive", PLACE, "--workspace", "default", ...args);
    expect((await archive("--now")).err).toContain("default: wrote 3 events to 1 files");
    expect(await eventsInFiles(await download())).toEqual(await eventsInTable(query));
    expect((await run("erase", "ben")).err).toContain(`done in the database; in ${PLACE} by the next run of archive`);
    expect((await archive()).err).toContain("took 1 deleted events out of 1 files");
    expect((await archive("--check")).err).toBe("default: 2 events in 1 files are as they should be\n");
    const files = await eventsInFiles(await download());
    expect(files).toEqual(await eventsInTable(query));
    expect(files).toHaveLength(2);
    await close();
    await expect(run("archive", "s3://nowhere/x")).rejects.toThrow("s3://nowhere/x cannot be used: NotFound");
    await expect(run("archive", "s3:/events")).rejects.toThrow("s3:/events is no place: say s3://bucket/prefix");
  });

  it("takes no object for its own that another process has written meanwhile", async () => {
    const server = createServer((request, response) => {
      const isChanged = request.method === "PUT" && request.headers["if-match"] === '"first"';
      response.writeHead(isChanged ? 412 : 200, { etag: '"first"' }).end(request.method === "GET" ? "{}" : "");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const before = process.env.AWS_ENDPOINT_URL_S3!;
    serve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const store = await openBucket(PLACE, () => {});
    await store.read("manifest");
    await expect(store.write("manifest", new Uint8Array())).rejects.toThrow(
      `another process works on the archive in ${PLACE}`,
    );
    await store.close();
    server.close();
    serve(before);
  });
});

it("installs a library when it is first needed, says so in one line, and has it from then on", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-library-"));
  const source = join(folder, "source");
  await mkdir(source);
  await writeFile(join(source, "package.json"), '{"name":"made-for-this-test","version":"1.2.3"}');
  await writeFile(join(source, "index.js"), "exports.answer = 42;");
  const said: string[] = [];
  const load = (version: string, into: string) =>
    loadOnFirstUse<{ answer: number }>(
      { name: "made-for-this-test", version, user: "a test" },
      (line) => said.push(line),
      into,
    );
  const into = join(folder, "libraries");
  for (const _ of [1, 2]) expect(load(`file:${source}`, into).answer).toBe(42);
  expect(said).toEqual([`installing made-for-this-test@file:${source} into ${into}, once: a test needs it`]);
  expect(() => load("file:/nowhere", join(folder, "others"))).toThrow(
    /^made-for-this-test@file:\/nowhere cannot be installed into /,
  );
  expect(JSON.parse(await readFile(join(into, "package.json"), "utf8")).dependencies).toHaveProperty(
    "made-for-this-test",
  );
  // What is tested is what is installed.
  expect(service.installedOnFirstUse["@aws-sdk/client-s3"]).toBe(repository.devDependencies["@aws-sdk/client-s3"]);
  await rm(folder, { recursive: true });
});
