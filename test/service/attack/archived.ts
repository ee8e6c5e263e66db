import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idAt, timeOf } from "../../../src/service/database/event-id.js";
import { urlOf } from "../bench/fill.js";
import { askDuck } from "../commands/archive/files.js";
import { runAt } from "../support/cluster.js";
import { eraseAt } from "./person.js";
import { createTraffic, type Outcome, openScene, pause } from "./scene.js";

const [EVENTS, SENT, ERASED, KILLS] = [100_000, 5_000, 1_000, 24];
const [DAY, DAYS, KEPT_DAYS] = [86_400_000, 10, 5];
const ADMIN = "attack-admin-token";
/** Milliseconds that a run has before somebody is killed, at most. */
const LONGEST_MS = 3_000;

/**
 * Events of ten days are put into files, while others come, contacts are erased, and retention takes half of the days; again and again the
 * archive, the service or its PostgreSQL is killed. In the end each event is in one file, and nobody who was erased is in any.
 *
 * @param part of events, erasures and kills
 * @param entry of the service and its commands
 */
export const archived = async (part: number, entry: readonly string[]): Promise<Outcome> => {
  const scene = await openScene();
  const place = await mkdtemp(join(tmpdir(), "tracklet-archived-"));
  const admin = { TRACKLET_ADMIN_TOKEN: ADMIN };
  let service = scene.another(admin, [], entry);
  let url = await service.ready();
  const at = { ...scene, url: () => url };
  const [events, contacts] = [Math.ceil(EVENTS * part), 4 * ERASED * part];
  const first = Math.floor(Date.now() / DAY) * DAY - DAYS * DAY;
  await runAt(
    urlOf(scene.place),
    `INSERT INTO events (contact_id, id, workspace, contact_uid, account_uid, event_uid, received_at, params)
     SELECT left(encode(sha256(convert_to('default/contact:' || uid, 'UTF8')), 'hex'), 32)::uuid,
            (lpad(to_hex(at), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
            'default', uid, 'account-' || n % 50, 'seen', at, '{"n":' || n || '}'
     FROM (SELECT n, ${first} + n::bigint * ${DAYS * DAY} / ${events} AS at, 'bulk-' || n % ${contacts} AS uid
           FROM generate_series(0, ${events} - 1) AS n) AS made`,
  );
  const before = new Set((await idsOf(scene.place)).map(({ id, uid }) => `${id} ${uid}`));
  const traffic = createTraffic(at);
  const load = traffic.more(SENT * part).then(traffic.stop);

  const run = (...args: string[]) => scene.another({}, [], [...entry, ...args]);
  const command = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await run(...args).closed;
    if (code !== 0) throw new Error(`${args[0]}: ${stderr}`);
    return stderr;
  };
  const erased: string[] = [];
  const eraseUpTo = async (share: number): Promise<void> => {
    while (erased.length < ERASED * part * share) {
      const uid = `bulk-${erased.length}`;
      while (!(await eraseAt(url, uid, ADMIN).then(Boolean, () => false))) await pause(100);
      erased.push(uid);
    }
  };
  /** Kills somebody under a run. What begins anew must go on. */
  const kill = async (turn: number): Promise<void> => {
    const archiving = run("archive", place, "--now");
    await Promise.race([archiving.closed, pause(Math.random() * LONGEST_MS)]);
    if (turn % 4 === 1) process.kill(scene.serverPid(), "SIGKILL");
    else if (turn % 4 === 3) {
      await service.stop("SIGKILL");
      // It may have come so late that it had a server of its own.
      await archiving.closed;
      service = scene.another(admin, [], entry);
      url = await service.ready();
    } else archiving.child.kill("SIGKILL");
    await archiving.closed;
  };
  const kills = 4 * Math.ceil((KILLS / 4) * part);
  const attackWhile = async (turns: readonly number[], work: Promise<unknown>): Promise<void> => {
    for (const turn of turns) await kill(turn);
    await work;
  };
  const turns = Array.from({ length: kills }, (_, turn) => turn);
  await attackWhile(turns.slice(0, kills / 2), Promise.all([eraseUpTo(0.5), load]));
  await command("archive", place);
  const deleted = await command("delete-events", "--older-than", String(KEPT_DAYS), "--yes");
  await attackWhile(turns.slice(kills / 2), eraseUpTo(1));
  const end = Date.now();
  for (let clean = 0; clean <= end; clean = await cleanOf(place)) {
    await command("archive", place, "--now");
    await pause(500);
  }
  await command("archive", place, "--check");

  const gone = new Set(erased);
  const expected = new Set((await idsOf(scene.place)).map(({ id, uid }) => `${id} ${uid}`));
  for (const one of before) if (!gone.has(one.split(" ")[1]!)) expected.add(one);
  const files = await askDuck(`SELECT id, contact_uid AS uid FROM '${place}/workspace=default/day=*/*.parquet'`);
  const inFiles = files.map(({ id, uid }) => `${id} ${uid}`);
  const unique = new Set(inFiles);
  const left = files.filter(({ uid }) => gone.has(String(uid))).length;
  const missing = [...expected].filter((one) => !unique.has(one)).length;
  const other = [...unique].filter((one) => !expected.has(one)).length;
  const parts = (await readdir(place, { recursive: true })).filter((name) => name.endsWith(".part")).length;
  const close = async (): Promise<void> => {
    await service.stop("SIGTERM");
    await scene.close();
    await rm(place, { recursive: true });
  };
  const twice = inFiles.length - unique.size;
  const note =
    `${kills} kills; ${inFiles.length} events in files, ${missing} missing, ${twice} twice, ${other} too many; ` +
    `of ${gone.size} erased ${left} events left; ${deleted.trim().replace("deleted", "retention took")}, ${parts} parts left`;
  return { scene: { ...at, close }, traffic, note, isWrong: missing + twice + other + left + parts > 0 };
};

const idsOf = (at: Outcome["scene"]["place"]) =>
  runAt<{ id: string; uid: string }>(urlOf(at), "SELECT id::text AS id, contact_uid AS uid FROM events");

/** Up to when files are clean, in epoch milliseconds. */
const cleanOf = async (place: string): Promise<number> =>
  timeOf(JSON.parse(await readFile(join(place, "workspace=default/_manifest.json"), "utf8")).clean ?? idAt(0));
