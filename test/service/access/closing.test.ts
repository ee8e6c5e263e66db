import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { DAY_MS } from "../../../src/service/base/times.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { usePlace } from "../support/fixtures.js";
import { ask, outcomeOf, until } from "../support/service.js";
import { spawnService } from "../support/service-process.js";

const BODY = JSON.stringify({ contact_uid: "contact-001", event_uid: "closing" });
const HEADERS = { "content-type": "application/json", "content-length": BODY.length };
const pathOf = (token: string) => `/v1/track/event?api_token=${encodeURIComponent(token)}`;

/** All that a process does beside requests hangs in a statement: counts, retention, and a question about them. */
const SLOW = [
  "CREATE SCHEMA slow",
  "CREATE FUNCTION slow.wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NULL; END'",
  "CREATE FUNCTION slow.replace(text, text, text) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); END'",
  `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
   VALUES ('${recordId("contact", "old")}', '${idAt(Date.now() - 1.5 * DAY_MS)}', 'default', 'old', 'old', 1, '{}')`,
  "CREATE TRIGGER wait BEFORE INSERT ON counted FOR EACH ROW EXECUTE FUNCTION slow.wait()",
  "ALTER DATABASE postgres SET search_path = slow, pg_catalog, public",
];
/** 200 requests a second. */
const APART_MS = 5;
const SLEEPING = "SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event = 'PgSleep'";

const place = usePlace();

it("cuts none of 200 requests a second, and cancels all else, when the process is told to end", async () => {
  const [rounds, each] = process.env.TEST_ALL ? [2, 500] : [1, 200];
  const first = await openDatabase(place);
  for (const statement of SLOW) await first.query(statement);
  await first.close();
  const outcomes: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const service = spawnService({ TRACKLET_DATA: place.dataFolder, TRACKLET_RETENTION_DAYS: "1" });
    const url = await service.ready();
    const database = await openDatabase(place, "tables");
    const sleeping = (count: number) => until(async () => Number((await database.query(SLEEPING))[0]!.count) === count);
    await database.query("DELETE FROM service_state WHERE name LIKE 'due %'");
    await sleeping(2);
    const report = ask(`${url}/v2/numbers`, { authorization: "Bearer demo-access-token" });
    await sleeping(3);
    await database.close();
    // Takes its connections in turn: each of them rests for a tenth of a second.
    const agent = new Agent({ keepAlive: true, maxSockets: 20, scheduling: "fifo" });
    const post = (): Promise<string> =>
      outcomeOf(request(url + pathOf("demo-api-token"), { agent, method: "POST", headers: HEADERS }).end(BODY));
    await Promise.all(Array.from({ length: 20 }, post));
    // As a browser holds one in reserve.
    const reserve = connect(Number(new URL(url).port), "127.0.0.1");
    const under: Promise<void>[] = [];
    let refused = false;
    for (let number = 0; !refused; number += 1) {
      if (number === each) void service.process.kill("SIGTERM");
      under.push(
        post().then((outcome) => {
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
          refused ||= outcome === "refused";
        }),
      );
      await pause(APART_MS);
    }
    await Promise.all(under);
    expect((await report).status).toBe(503);
    // What took too long before it was told to end says so: a busy machine is no failure.
    const stdout = expect.not.stringMatching(/"error"(?!.*statement timeout)/);
    expect(await service.closed).toMatchObject({ code: 0, stderr: "", stdout });
    reserve.destroy();
    agent.destroy();
  }
  expect(outcomes).toEqual({ "200": expect.any(Number), refused: expect.any(Number) });
  expect(outcomes["200"]).toBeGreaterThan(rounds * each);
}, 300_000);
