import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { ROOT } from "../../support/launch.js";
import { basic } from "../support/basic.js";
import { SHORT } from "../support/bounds.js";
import { makeClock, setBack } from "../support/database-clock.js";
import { findProgram, startPostgres } from "../support/postgres-server.js";
import { until } from "../support/running-service.js";
import { spawnService } from "../support/service-process.js";

const SHORT_TIME = ["--import", "tsx", "test/service/support/short-time.ts"];
const COLUMNS = "id, received_at, occurred_at, contact_uid, account_uid, event_uid, params";
const lacking = findProgram("psql") === undefined ? "psql is not installed" : undefined;

describe.skipIf(lacking !== undefined)(`the copy of docs/service/data.md${lacking ? `: ${lacking}` : ""}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let folder: string;
  let clock: string;
  let [table, copy]: pg.Client[] = [];
  let loop: ChildProcess | undefined;
  const services: ReturnType<typeof spawnService>[] = [];
  const urls: string[] = [];

  const environment = () => ({ DATABASE_URL: server.url, TRACKLET_RATE_LIMIT: "0" });
  const start = async (index: number): Promise<void> => {
    const skewed = { NODE_OPTIONS: "--import ./test/service/support/skewed-clock.mjs", CLOCK_BEHIND: clock };
    services[index] = spawnService({ ...environment(), ...skewed }, SHORT_TIME);
    urls[index] = await services[index].ready();
  };
  /** The loop of the page, over a follower with little time. */
  const follow = async (): Promise<void> => {
    const page = await readFile(join(ROOT, "docs/service/data.md"), "utf8");
    const recipe = /^```sh\n(while [\s\S]*?)```$/m.exec(page)![1]!;
    const command = `"${process.execPath}" ${SHORT_TIME.join(" ")} export`;
    loop = spawn("bash", ["-c", recipe.replace("tracklet-service export", command)], {
      cwd: ROOT,
      // A group of its own, which ends as one.
      detached: true,
      stdio: "ignore",
      env: { PATH: process.env.PATH, ...environment(), COPY: copyUrl() },
    });
  };
  const stopFollowing = (): void => {
    if (loop !== undefined) process.kill(-loop.pid!, "SIGKILL");
    loop = undefined;
  };
  const copyUrl = () => server.url.replace(/[^/]+$/, "copy");
  const post = (index: number, body: object | string): Promise<number> =>
    fetch(`${urls[index]}/v1/track/event`, {
      method: "POST",
      headers: { "content-type": "application/json", ...basic("demo-api-token:") },
      body: typeof body === "string" ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    }).then(
      ({ status }) => status,
      () => 0,
    );
  /** Line ends between the tokens of params become blanks, where they mean the same. */
  const blank = (all: { params: string }[]) =>
    all.map((row) => ({ ...row, params: row.params.replace(/[\r\n]/g, " ") }));
  const rows = async (client: pg.Client) => (await client.query(`SELECT ${COLUMNS} FROM events ORDER BY id`)).rows;
  const command = async (...args: string[]): Promise<void> => {
    expect((await spawnService(environment(), [...SHORT_TIME, ...args]).closed).code).toBe(0);
  };
  /** Stores a last event; resolves when the copy has it. */
  const finish = async (name: string): Promise<void> => {
    await until(async () => ((await post(0, { contact_uid: "last", event_uid: name })) === 200 ? true : undefined));
    const last = "SELECT 1 FROM events WHERE event_uid = $1";
    await until(async () => ((await copy!.query(last, [name])).rows.length > 0 ? true : undefined));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tracklet-follow-"));
    clock = join(folder, "behind");
    await writeFile(clock, "0");
    server = await startPostgres({ options: ["-c", "max_prepared_transactions=2"] });
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query("CREATE DATABASE copy");
    await makeClock(async (sql, values) => (await admin.query(sql, values)).rows);
    await admin.end();
    await start(0);
    [table, copy] = [new pg.Client(server.url), new pg.Client(copyUrl())];
    await Promise.all([table.connect(), copy.connect()]);
    const page = await readFile(join(ROOT, "docs/service/data.md"), "utf8");
    await copy.query(/^```sql\n(CREATE TABLE events [\s\S]*?)```$/m.exec(page)![1]!);
  });
  afterAll(async () => {
    stopFollowing();
    await Promise.all([table?.end(), copy?.end(), ...services.map((service) => service.stop("SIGKILL"))]);
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("has every event as it was sent, once, and loses those that are deleted", async () => {
    const [old] = newIds(1) as [string];
    await table!.query(
      `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
       VALUES ($1, '00000000-0000-7000-8000-000000000001', 'default', 'old', 'old', 1, '{}')`,
      [old],
    );
    const odd = `${String.raw`{"n":1e400,"nul":"\u0000","half":"\ud83d","quote":"it's \\ \":x\"","lines":`}\r\n"ä,☃"}`;
    expect(await post(0, `{"contact_uid":"nul\\u0000 \\"'","event_uid":"half\\ud83d","params":${odd}}`)).toBe(200);
    const params = { account_uid: "acme", occurred_at: 1_700_000_000_000 };
    for (const contact_uid of ["anna", "ben"]) expect(await post(0, { contact_uid, event_uid: "a", params })).toBe(200);
    await follow();
    await finish("first");
    expect(await rows(copy!)).toEqual(blank(await rows(table!)));
    expect(await rows(copy!)).toHaveLength(5);

    await command("delete-contact", "anna");
    await command("delete-events", "--older-than", "30", "--yes");
    // Killed and begun anew, it goes on where it was.
    stopFollowing();
    await follow();
    await finish("second");
    expect((await rows(copy!)).map(({ contact_uid }) => contact_uid).sort()).toEqual([
      "ben",
      "last",
      "last",
      `nul\\u0000 \\"'`,
    ]);
    expect(await rows(copy!)).toEqual(blank(await rows(table!)));
  });

  it.runIf(process.env.TEST_ALL)(
    "is equal to the table where processes are killed, frozen and slow, and the clock is set back",
    async () => {
      await Promise.all([start(1), start(2)]);
      let stopped = false;
      let delivered = 0;
      const client = async (name: number): Promise<void> => {
        for (let number = 0; !stopped; number += 1) {
          const event = { contact_uid: `load-${name}`, event_uid: "load", params: { event_id: `${name}-${number}` } };
          for (let at = name; (await post(at % 3, event)) !== 200; at += 1)
            await new Promise((resolve) => setTimeout(resolve, 50));
          delivered += 1;
        }
      };
      const more = async (amount: number): Promise<void> => {
        const from = delivered;
        await until(() => delivered > from + amount || undefined);
      };
      const clients = Promise.all(Array.from({ length: 24 }, (_, name) => client(name)));
      const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
      /** Longer than a commit is waited for that nobody sees. */
      const LONG = 1.5 * SHORT.settled;
      const slow = async (end: string[]): Promise<void> => {
        const other = new pg.Client(server.url);
        await other.connect();
        await other.query("BEGIN");
        const [id] = newIds(1) as [string];
        const values = [recordId("contact", "slow"), id, end[0]];
        await other.query(
          `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
           VALUES ($1, $2, 'default', 'slow', $3, 1, '{}')`,
          values,
        );
        for (const statement of end) {
          if (statement !== end.at(-1)) await other.query(statement);
          else await pause(LONG).then(() => other.query(statement));
        }
        await other.end();
      };
      await more(200);
      // Two that overtake each other, one that a node has prepared and left.
      await Promise.all([slow(["COMMIT"]), slow(["PREPARE TRANSACTION 'left'", "COMMIT PREPARED 'left'"]), more(200)]);
      services[1]!.child.kill("SIGSTOP");
      await pause(LONG);
      services[1]!.child.kill("SIGCONT");
      await services[2]!.stop("SIGKILL");
      await more(200);
      // The machine's clock is set back; a process that begins then does not go behind what was read.
      await Promise.all([
        writeFile(clock, "20000"),
        setBack(async (sql, values) => (await table!.query(sql, values)).rows as never, 20_000),
      ]);
      await start(2);
      await more(200);
      stopFollowing();
      await more(100);
      await follow();
      await command("delete-contact", "load-3");
      await more(100);
      stopped = true;
      await clients;
      await finish("third");
      expect(await rows(copy!)).toEqual(blank(await rows(table!)));
      expect((await rows(copy!)).filter(({ contact_uid }) => contact_uid === "slow")).toHaveLength(2);
      console.log(`${delivered} events, all in the copy`);
    },
  );
});
