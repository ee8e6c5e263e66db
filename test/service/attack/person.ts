import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { waitFor } from "../../support/wait.js";
import { basic } from "../support/basic.js";
import { runAt } from "../support/cluster.js";
import { metricsOf } from "../support/service-process.js";
import { API_TOKEN, createTraffic, type Outcome, openScene, pause, post } from "./scene.js";

/** Whom nobody else's data names. */
const UID = "person-7f3cq";
const ADMIN = "attack-admin-token";
/** Events of it that an import brings, and that wait for a connection. */
const [IMPORTED, WAITING] = [50_000, 40];

export const eraseAt = async (url: string, uid: string, token = ADMIN): Promise<string> => {
  const answer = await fetch(`${url}/v2/contacts/erase`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ uid }),
  });
  if (answer.status !== 200) throw new Error(`the erasure was answered with ${answer.status}: ${await answer.text()}`);
  return answer.text();
};

/**
 * A person is erased while an import brings it, while its events wait for a connection, and while bodies of it are refused; then
 * it is looked for everywhere.
 *
 * @param part of what an import brings
 * @param entry of the service and its commands
 */
export const person = async (part: number, entry: readonly string[]): Promise<Outcome> => {
  const scene = await openScene({ given: {} });
  const folder = await mkdtemp(join(tmpdir(), "tracklet-person-"));
  const service = scene.another({ TRACKLET_ADMIN_TOKEN: ADMIN, TRACKLET_LOG_LEVEL: "debug" }, [], entry);
  const url = await service.ready();
  const at = { ...scene, url: () => url };
  const traffic = createTraffic(at);
  const said: string[] = [];
  const command = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await scene.another({}, [], [...entry, ...args]).closed;
    if (code !== 0) throw new Error(`${args[0]}: ${stderr}`);
    return stdout + stderr;
  };
  const began = Date.now();
  const event = (params: object) => JSON.stringify({ contact_uid: UID, event_uid: "seen", params });
  const send = async (body: string, type = "application/json"): Promise<void> => {
    const headers = { "content-type": type, ...basic(`${API_TOKEN}:`) };
    said.push(await (await fetch(`${url}/v1/track/event`, { method: "POST", headers, body })).text());
  };
  const refused = async (): Promise<void> => {
    await send(event({}), "text/html");
    await send(`{"contact_uid":"${UID}","event_uid":`);
    await send(`{"contactUid":"${UID}"}`);
  };
  const lines = Array.from({ length: Math.ceil(IMPORTED * part) }, (_, index) =>
    JSON.stringify({
      id: crypto.randomUUID(),
      received_at: began - index,
      contact_uid: UID,
      event_uid: "old",
      params: {},
    }),
  );
  const record = { unique_id: UID, created_at: 1, data: { name: UID } };
  await writeFile(join(folder, "events.ndjson"), lines.join("\n"));
  await writeFile(join(folder, "contacts.ndjson"), JSON.stringify(record));

  // Under an import.
  await command("import", join(folder, "contacts.ndjson"));
  await send(event({ event_id: "first" }));
  await refused();
  const importing = command("import", join(folder, "events.ndjson"));
  const imported = async () =>
    Number(
      (await runAt<{ count: number }>(scene.given!.url, "SELECT count(*) FROM events WHERE event_uid = 'old'"))[0]!
        .count,
    );
  while ((await imported()) === 0) await pause(5);
  await eraseAt(url, UID);
  const left = await imported();
  const told = await importing;

  // Under connections that are all in use: those that wait begin to store after the erasure.
  await send(event({ event_id: "back", occurred_at: Date.now() }));
  const locking = new pg.Client(scene.given!.url);
  await locking.connect();
  await locking.query("BEGIN; LOCK TABLE events IN SHARE MODE");
  const waiting = Array.from({ length: WAITING }, (_, index) =>
    post(url, event({ event_id: `waits-${index}`, occurred_at: Date.now() })),
  );
  const isTrue = async (sql: string): Promise<boolean> =>
    (await runAt<{ is: boolean }>(scene.given!.url, `SELECT (${sql}) AS is`))[0]!.is;
  await waitFor(() => isTrue("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'events'::regclass"), {
    what: "an insert that waits",
  });
  const locked = Date.now();
  const erasing = eraseAt(url, UID);
  await waitFor(() => isTrue(`SELECT max(erased_at) >= ${locked} FROM tombstones`), { what: "the tombstone" });
  await locking.query("COMMIT");
  await locking.end();
  await Promise.all([erasing, ...waiting]);

  // And what comes later of before.
  await command("import", join(folder, "contacts.ndjson"));
  await Promise.all([send(event({ occurred_at: began })), send(event({})), refused()]);
  await command("workspace", "create", "other");
  await command("workspace", "copy", "default", "other");
  await traffic.more(50);
  await traffic.stop();

  const places: Record<string, string> = { answers: said.join() };
  const authorization = `Bearer ${ADMIN}`;
  places.data = await (await fetch(`${url}/v2/contacts/data?uid=${UID}`, { headers: { authorization } })).text();
  places.metrics = await metricsOf(url);
  for (const table of ["events", "contacts"]) places[`export ${table}`] = await command("export", table);
  await command("dump", join(folder, "new.dump"));
  places.dump = String(gunzipSync(readFileSync(join(folder, "new.dump"))));
  for (const { name } of await runAt<{ name: string }>(
    scene.given!.url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  ))
    places[name] = JSON.stringify(await runAt(scene.given!.url, `SELECT row::text FROM ${name} AS row`));
  places.log = service.stdout() + service.stderr();
  const found = Object.entries(places).filter(([, text]) => text.includes(UID));
  const close = async (): Promise<void> => {
    await service.stop("SIGTERM");
    await scene.close();
    await rm(folder, { recursive: true });
  };
  const looked = `looked for in ${Object.keys(places).length} places`;
  const note = `${looked}, found in ${found.map(([name]) => name).join(", ") || "none"}; ${left} events left at the answer; ${told.trim().split("\n").at(-2) ?? ""}`;
  return { scene: { ...at, close }, traffic, note, isWrong: found.length > 0 || left > 0 };
};
