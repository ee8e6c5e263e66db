import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../support/launch.js";
import { readPage } from "../../support/readme.js";
import { waitFor } from "../../support/wait.js";
import { SHORT } from "../support/bounds.js";
import { runAt } from "../support/database.js";
import { useServer } from "../support/fixtures.js";
import { findProgram } from "../support/postgres.js";
import { startService } from "../support/service.js";
import { SHORT_TIME, spawnService } from "../support/service-process.js";

const place = useServer();
const ROWS = "SELECT id, received_at, occurred_at, contact_uid, account_uid, event_uid, params FROM events ORDER BY id";
type Row = { params: string };
/** Line ends between the tokens of params become blanks, where they mean the same. */
const blank = (all: Row[]) => all.map((row) => ({ ...row, params: row.params.replace(/[\r\n]/g, " ") }));

it.skipIf(findProgram("psql") === undefined)(
  "the copy of docs/service/data.md has every event as it was sent, once, and loses those that are deleted",
  async () => {
    const page = await readPage("docs/service/data.md");
    const [recipe, table] = [/^```sh\n(while [\s\S]*?)```$/m, /^```sql\n(CREATE TABLE events [\s\S]*?)```$/m].map(
      (block) => block.exec(page)![1]!,
    ) as [string, string];
    const url = place.databaseUrl.replace(/[^/]+$/, "copy");
    await runAt(place.databaseUrl, "CREATE DATABASE copy");
    await runAt(url, table);
    const service = await startService({ ...place, bounds: SHORT });
    /** The loop of the page, over a follower with little time, in a group of its own, which ends as one. */
    const follow = () => {
      const command = recipe.replace("tracklet-service export", `"${process.execPath}" ${SHORT_TIME.join(" ")} export`);
      const env = { PATH: process.env.PATH, DATABASE_URL: place.databaseUrl, COPY: url };
      const { pid } = spawn("bash", ["-c", command], { cwd: ROOT, detached: true, stdio: "ignore", env });
      return () => void process.kill(-pid!, "SIGKILL");
    };
    const post = async (event: object | string) => expect((await service.post(event)).status).toBe(200);
    /** Stores a last event; resolves when the copy has it, and all of before. */
    const finish = async (name: string): Promise<void> => {
      await post({ contact_uid: "last", event_uid: name });
      const isThere = async () => (await runAt(url, `SELECT FROM events WHERE event_uid = '${name}'`)).length;
      await waitFor(isThere, { what: `the event ${name}`, timeoutMs: 120_000, everyMs: 500 });
      expect(await runAt<Row>(url, ROWS)).toEqual(blank(await runAt<Row>(place.databaseUrl, ROWS)));
    };

    await runAt(
      place.databaseUrl,
      `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
     VALUES (gen_random_uuid(), '00000000-0000-7000-8000-000000000001', 'default', 'old', 'old', 1, '{}')`,
    );
    const odd = `${String.raw`{"n":1e400,"nul":"\u0000","half":"\ud83d","quote":"it's \\ \":x\"","lines":`}\r\n"ä,☃"}`;
    await post(`{"contact_uid":"nul\\u0000 \\"'","event_uid":"half\\ud83d","params":${odd}}`);
    const params = { account_uid: "acme", occurred_at: 1_700_000_000_000 };
    for (const contact_uid of ["anna", "ben"]) await post({ contact_uid, event_uid: "a", params });
    let stop = follow();
    onTestFinished(() => stop());
    await finish("first");
    expect(await runAt(url, ROWS)).toHaveLength(5);
    for (const args of [
      ["erase", "anna"],
      ["delete-events", "--older-than", "30", "--yes"],
    ])
      expect((await spawnService({ DATABASE_URL: place.databaseUrl }, [...SHORT_TIME, ...args]).closed).code).toBe(0);
    // Killed and begun anew, it goes on where it was.
    stop();
    stop = follow();
    await finish("second");
    await service.close();
  },
);
