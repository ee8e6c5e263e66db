import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { overDatabase } from "../support/over-database.js";
import { type RunningService, startService, until } from "../support/running-service.js";
import { runTold } from "../support/told-command.js";

const SHOP = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
const HTML = { "content-type": "text/html" };

overDatabase((place) => {
  let database: Database;
  let service: RunningService;
  const start = async (deadLetters: number): Promise<void> => {
    database = await openDatabase(place());
    service = await startService({ ...place(), database, deadLetters, workspaces: [SHOP], maxEventBytes: 20_000 });
  };
  beforeAll(() => start(1));
  afterAll(() => service.close());

  const run = (...args: string[]) => runTold({ ...place(), workspaces: [SHOP], maxEventBytes: 20_000 }, ...args);
  const letters = async (workspace = "default"): Promise<Record<string, unknown>[]> =>
    (await run("export", "dead_letters", "--workspace", workspace)).out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const kept = async (workspace = "default"): Promise<number> =>
    Number((await database.query("SELECT count(*) AS c FROM dead_letters WHERE workspace = $1", [workspace]))[0]!.c);
  const event = (contact_uid: string, params: object) =>
    JSON.stringify({ contact_uid, event_uid: "seen\u0000", params });
  const stamp = (number: number) => {
    const event_id = `${number}0000000-0000-4000-a000-000000000000`;
    return { event_id, event_source: event_id, event_seq: 1 };
  };
  /** A page's own id, which is no stamp. */
  const OWN = { event_id: "ticket" };

  it("keeps what was refused for good, and stores it once where it is no longer refused", async () => {
    const refused: [string | Uint8Array, Record<string, string>, number][] = [
      [event("ben", stamp(1)), HTML, 415],
      [event("ben", OWN), HTML, 415],
      [event("", stamp(2)), {}, 400],
      [`{"contact_uid":"${"\\u0061nna"}","event_uid":`, {}, 400],
      ["event_uid=a&contact_uid=%61nn%61", HTML, 415],
      [`{"contact_uid":"${"c".repeat(30_000)}"}`, {}, 413],
      ["zipped", { "content-encoding": "gzip" }, 415],
    ];
    for (const [body, headers, status] of refused) expect((await service.post(body, headers)).status).toBe(status);
    expect((await service.post("{", {}, "?api_token=wrong")).status).toBe(401);
    expect((await service.post(event("ben", OWN))).status).toBe(200);
    await until(async () => ((await kept()) === refused.length ? true : undefined));
    // It was stored meanwhile by another way.
    expect((await service.post(event("ben", stamp(1)))).status).toBe(200);
    await service.close();

    const all = await letters();
    expect(all.map(({ status, body, of_page }) => [status, of_page, (body as string).slice(0, 30)])).toEqual(
      refused.map(([body, , status], index) => [status, true, index === 6 ? "" : (body as string).slice(0, 30)]),
    );
    expect(all[5]).toMatchObject({ bytes: 30_018, body: expect.stringMatching(/^.{1024}$/) });
    expect(all[3]!.error).toContain("the body must be JSON");
    expect((await run("send-dead-letters")).err).toBe(
      "stored 1 events of dead letters; refused again: 3; without their body: 2; " +
        "without a stamp: 1 (--may-repeat sends these, too)\n",
    );
    expect((await run("send-dead-letters", "--may-repeat")).err).toBe(
      "stored 1 events of dead letters; refused again: 3; without their body: 2; without a stamp: 0\n",
    );
    const events = (await run("export", "events", "--contact", "ben")).out.trimEnd().split("\n");
    expect(events.map((line) => JSON.parse(line)).map(({ params, stamped }) => [params, stamped])).toEqual([
      [OWN, false],
      [stamp(1), undefined],
      [OWN, false],
    ]);

    // As it was received.
    expect(JSON.parse(events.at(-1)!).received_at).toBe(all[1]!.received_at);

    await expect(run("delete-contact", "anna", "--workspace", "shop")).rejects.toThrow("no contact");
    expect((await run("delete-contact", "anna")).err).toBe("deleted 2 dead letters of it\n");
    expect((await letters()).map(({ body }) => String(body).slice(0, 20))).toEqual(
      [event("", stamp(2)), refused[5]![0], ""].map((body) => String(body).slice(0, 20)),
    );
    await start(1);
  });

  it("keeps so many of an address, so many bytes of a workspace, and none for longer than a week", async () => {
    await database.query("UPDATE dead_letters SET received_at = $1", [Date.now() - 8 * 86_400_000]);
    await database.query("DELETE FROM service_state WHERE name = 'due letters'");
    await service.close();
    await start(1);
    await until(async () => ((await kept()) === 0 ? true : undefined));
    const send = async (body: string, amount: number, least: number, query?: string) => {
      for (let number = 0; number < amount; number += 1) {
        expect((await service.post(body, {}, query)).status).toBe(400);
        const name = query === undefined ? "default" : "shop";
        await until(async () => ((await kept(name)) >= Math.min(number + 1, least) ? true : undefined));
      }
    };
    await send("x".repeat(19_500), 50, 49, `?api_token=${SHOP.apiToken}`);
    expect(await kept("shop")).toBe(49);
    // The address has had its fifty.
    await send("x", 1, 0);
    await service.close();
    await start(0);
    await send("x", 1, 0);
    await service.close();
    expect(await letters()).toEqual([]);
    expect(await letters("shop")).toHaveLength(49);
    await start(0);
  });
});
