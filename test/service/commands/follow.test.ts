import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../support/launch.js";
import { runAt } from "../support/database.js";
import { findProgram, startPostgres } from "../support/postgres.js";
import { basic, until } from "../support/service.js";
import { SHORT_TIME, spawnService } from "../support/service-process.js";

const COLUMNS = "id, received_at, occurred_at, contact_uid, account_uid, event_uid, params";
const lacking = findProgram("psql") === undefined ? "psql is not installed" : undefined;

describe.skipIf(lacking !== undefined)(`the copy of docs/service/data.md${lacking ? `: ${lacking}` : ""}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let [table, copy]: pg.Client[] = [];
  let loop: ChildProcess | undefined;
  let service: ReturnType<typeof spawnService>;
  let url: string;

  const environment = () => ({ DATABASE_URL: server.url, TRACKLET_RATE_LIMIT: "0" });
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
  const post = async (body: object | string): Promise<number> => {
    const headers = { "content-type": "application/json", ...basic("demo-api-token:") };
    const sent = { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) };
    return (await fetch(`${url}/v1/track/event`, sent)).status;
  };
  /** Line ends between the tokens of params become blanks, where they mean the same. */
  const blank = (all: { params: string }[]) =>
    all.map((row) => ({ ...row, params: row.params.replace(/[\r\n]/g, " ") }));
  const rows = async (client: pg.Client) => (await client.query(`SELECT ${COLUMNS} FROM events ORDER BY id`)).rows;
  /** Stores a last event; resolves when the copy has it. */
  const finish = async (name: string): Promise<void> => {
    expect(await post({ contact_uid: "last", event_uid: name })).toBe(200);
    const last = "SELECT 1 FROM events WHERE event_uid = $1";
    await until(async () => (await copy!.query(last, [name])).rows.length > 0);
  };

  beforeAll(async () => {
    server = await startPostgres();
    await runAt(server.url, "CREATE DATABASE copy");
    service = spawnService(environment(), SHORT_TIME);
    url = await service.ready();
    [table, copy] = [new pg.Client(server.url), new pg.Client(copyUrl())];
    await Promise.all([table.connect(), copy.connect()]);
    const page = await readFile(join(ROOT, "docs/service/data.md"), "utf8");
    await copy.query(/^```sql\n(CREATE TABLE events [\s\S]*?)```$/m.exec(page)![1]!);
  });
  afterAll(async () => {
    stopFollowing();
    await Promise.all([table?.end(), copy?.end(), service?.stop("SIGKILL")]);
    await server?.stop();
  });

  it("has every event as it was sent, once, and loses those that are deleted", async () => {
    await table!.query(
      `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
       VALUES (gen_random_uuid(), '00000000-0000-7000-8000-000000000001', 'default', 'old', 'old', 1, '{}')`,
    );
    const odd = `${String.raw`{"n":1e400,"nul":"\u0000","half":"\ud83d","quote":"it's \\ \":x\"","lines":`}\r\n"ä,☃"}`;
    expect(await post(`{"contact_uid":"nul\\u0000 \\"'","event_uid":"half\\ud83d","params":${odd}}`)).toBe(200);
    const params = { account_uid: "acme", occurred_at: 1_700_000_000_000 };
    for (const contact_uid of ["anna", "ben"]) expect(await post({ contact_uid, event_uid: "a", params })).toBe(200);
    await follow();
    await finish("first");
    expect(await rows(copy!)).toEqual(blank(await rows(table!)));
    expect(await rows(copy!)).toHaveLength(5);

    for (const args of [
      ["erase", "anna"],
      ["delete-events", "--older-than", "30", "--yes"],
    ])
      expect((await spawnService(environment(), [...SHORT_TIME, ...args]).closed).code).toBe(0);
    // Killed and begun anew, it goes on where it was.
    stopFollowing();
    await follow();
    await finish("second");
    expect(await rows(copy!)).toEqual(blank(await rows(table!)));
  });
});
