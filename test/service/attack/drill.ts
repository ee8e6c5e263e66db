import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAt } from "../support/cluster.js";
import { startPostgres } from "../support/postgres-server.js";
import { until } from "../support/running-service.js";
import { eraseAt } from "./person.js";
import { createTraffic, type Outcome, openScene, type Scene, type Traffic } from "./scene.js";
import { buildNext } from "./upgrade.js";

const ADMIN = { TRACKLET_ADMIN_TOKEN: "drill-admin-token" };
/** Contacts that are erased before the last backup, and after it. */
const ERASED = ["contact-3", "contact-5"] as const;
const isErased = (stamp: string) => ERASED.includes(`contact-${stamp.split("-")[0]}` as never);

/** Who follows: what it has read, and its place. */
const follow = (scene: Scene, entry: readonly string[], after?: string) => {
  const place = after === undefined ? [] : ["--after", after];
  const { child, stdout, stderr, stop } = scene.another({}, [], [...entry, "export", "--follow", ...place]);
  const rows = () =>
    stdout()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id: string; params?: { event_id?: string } });
  return {
    stamps: () => rows().flatMap(({ params }) => params?.event_id ?? []),
    place: () => rows().at(-1)?.id,
    /** Waits until it has read all of these. */
    all: (stamps: Iterable<string>) =>
      until(() => {
        if (child.exitCode !== null) throw new Error(`who follows is refused: ${stderr()}`);
        const read = new Set(rows().map(({ params }) => params?.event_id));
        return [...stamps].every((stamp) => isErased(stamp) || read.has(stamp)) ? true : undefined;
      }),
    stop: () => stop("SIGKILL"),
  };
};

/**
 * A backup beside the running service, a disk that is lost, a restore, a move to another server, and the next release: what was
 * answered with 200 before the last backup is there, and what was stored since the restore; who was erased before or after it is
 * not; who follows goes on from its place.
 *
 * @param entry of the service and its commands
 */
export const drill = async (entry: readonly string[]): Promise<Outcome> => {
  const place = await mkdtemp(join(tmpdir(), "tracklet-drill-"));
  const [dump, erasures] = [join(place, "last.dump"), join(place, "erasures")];
  const expected = new Set<string>();
  const others = new Map<string, number>();
  const command = async (scene: Scene, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await scene.another({}, [], [...entry, ...args]).closed;
    if (code !== 0) throw new Error(`${args[0]}: ${stderr}`);
    return stdout;
  };
  const open = async (scene: Scene, phase: string, service = entry) => {
    const running = scene.another(ADMIN, [], service);
    const url = await running.ready();
    const at = { ...scene, url: () => url };
    return { ...running, scene: at, traffic: createTraffic(at, undefined, phase) };
  };
  /** What was answered until now, and must be there. */
  const keep = ({ acknowledged }: Traffic): string[] => {
    const kept = [...acknowledged].filter((stamp) => !isErased(stamp));
    for (const stamp of kept) expected.add(stamp);
    return kept;
  };

  const first = await openScene();
  const before = await open(first, "a");
  await before.traffic.more(200);
  const follower = follow(first, entry);
  await follower.all(keep(before.traffic));
  await eraseAt(before.scene.url(), ERASED[0], ADMIN.TRACKLET_ADMIN_TOKEN);
  const followed = follower.place();
  keep(before.traffic);
  await command(first, "dump", dump);
  await before.traffic.more(50);
  await eraseAt(before.scene.url(), ERASED[1], ADMIN.TRACKLET_ADMIN_TOKEN);
  for (const file of [erasures, `${erasures}.key`]) {
    await cp(file.replace(place, first.folder!), file);
    if (((await stat(file)).mode & 0o777) !== 0o600) throw new Error(`${file} is open to others`);
  }
  await Promise.all([follower.stop(), before.stop("SIGKILL")]);
  process.kill(first.serverPid(), "SIGKILL");
  await before.traffic.stop();
  await first.close();

  const second = await openScene();
  await command(second, "restore", dump, "--erasures", erasures);
  const listed = await command(second, "audit", "--erasures");
  const restored = await open(second, "b");
  await restored.traffic.more(200);
  const again = follow(second, entry, followed);
  await again.all(keep(restored.traffic));
  const onward = again.place();
  await again.stop();
  await restored.traffic.stop();
  keep(restored.traffic);
  await restored.stop("SIGTERM");

  const given = await startPostgres();
  await command(second, "move-to", given.url);
  const third = await openScene({ databaseUrl: given.url });
  const moved = await open(third, "c");
  await moved.traffic.more(200);
  const last = follow(third, entry, onward);
  await last.all(keep(moved.traffic));
  const twice = last.stamps().length - new Set(last.stamps()).size;
  await last.stop();
  const next = [buildNext()];
  const migrated = await third.another({}, [], [...next, "migrate"]).closed;
  const newer = await open(third, "d", next);
  await moved.traffic.stop();
  await moved.stop("SIGTERM");
  await newer.traffic.more(200);
  await newer.traffic.stop();
  for (const { traffic } of [moved, newer]) keep(traffic);
  for (const { traffic } of [restored, moved, newer])
    for (const [answer, times] of traffic.others) others.set(answer, (others.get(answer) ?? 0) + times);

  const found: string[] = [];
  for (const { name } of await runAt<{ name: string }>(
    given.url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  ))
    for (const uid of ERASED) {
      const rows = await runAt(given.url, `SELECT 1 FROM ${name} AS row WHERE row::text ~ '\\m${uid}\\M' LIMIT 1`);
      if (rows.length > 0) found.push(`${uid} in ${name}`);
    }
  const marks = listed.trim().split("\n").length;
  const close = async (): Promise<void> => {
    await newer.stop("SIGTERM");
    await second.close();
    await given.stop();
    await rm(place, { recursive: true });
  };
  return {
    scene: { ...newer.scene, close },
    traffic: { ...newer.traffic, acknowledged: expected, others },
    note:
      found.length > 0
        ? `ERASED, AND FOUND: ${found.join(", ")}`
        : `${marks} erasures in the restored log, 0 of 2 contacts found`,
    isWrong: marks !== ERASED.length || found.length > 0 || twice > 0 || migrated.code !== 0,
  };
};
