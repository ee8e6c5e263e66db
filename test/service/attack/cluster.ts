import { runAt } from "../support/cluster.js";
import { startCluster } from "../support/own-cluster.js";
import { SERVICE } from "../support/service-process.js";
import { createTraffic, type Outcome, openScene, pause, readStored } from "./scene.js";

const WORKERS = 3;
/** Events between two faults. */
const BETWEEN = 150;
const ROUNDS = 3;

/** Follows the events of a scene from the first on, also where a fault ends the process. */
const createFollower = (
  follow: (args: string[]) => { child: { kill(): boolean }; stdout(): string; closed: Promise<unknown> },
) => {
  const ids: string[] = [];
  let current: ReturnType<typeof follow> | undefined;
  let isOver = false;
  const read = () => {
    const lines = current!.stdout().split("\n").slice(0, -1);
    return lines.map((line) => String(JSON.parse(line).id));
  };
  const run = (async () => {
    while (!isOver) {
      const last = ids.at(-1);
      current = follow(["export", "--follow", ...(last === undefined ? [] : ["--after", last])]);
      await current.closed;
      for (const id of read()) ids.push(id);
    }
  })();
  return {
    ids: () => [...ids, ...read()],
    stop: async () => {
      isOver = true;
      current!.child.kill();
      await run;
    },
  };
};

/**
 * A cluster under load: its nodes and the service are killed, a shard is moved, a worker is added and gets its part. What
 * `export --follow` has given meanwhile must be what is stored.
 */
export const cluster = async (): Promise<Outcome> => {
  const citus = await startCluster(WORKERS, { spare: 1 });
  const scene = await openScene({ databaseUrl: citus.url });
  await scene.start();
  const coordinator = citus.nodes[0]!.url;
  const traffic = createTraffic(scene);
  const follower = createFollower((args) => scene.another({}, undefined, [SERVICE, ...args]));
  for (let round = 0; round < ROUNDS; round += 1) {
    await traffic.more(BETWEEN);
    await scene.service().stop("SIGKILL");
    await scene.start();
    for (const node of citus.nodes.slice(0, WORKERS + 1)) {
      await traffic.more(BETWEEN);
      await node.crash();
      await pause(1_000);
      await node.resume();
    }
  }
  await traffic.more(BETWEEN);
  const [shard] = await runAt(
    coordinator,
    `SELECT shardid, nodename, nodeport FROM citus_shards WHERE table_name = 'events'::regclass ORDER BY shardid LIMIT 1`,
  );
  const [other] = await runAt(
    coordinator,
    `SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards AND nodeport <> ${shard!.nodeport} LIMIT 1`,
  );
  const place = ({ nodename, nodeport }: Record<string, unknown>) => `'${nodename}', ${nodeport}`;
  await runAt(coordinator, `SELECT citus_move_shard_placement(${shard!.shardid}, ${place(shard!)}, ${place(other!)})`);
  await traffic.more(BETWEEN);
  await citus.add(WORKERS + 1);
  await runAt(coordinator, "SELECT citus_rebalance_start()", "SELECT citus_rebalance_wait()");
  await traffic.more(BETWEEN);
  await traffic.stop();
  const stored = await readStored(scene);
  while (new Set(follower.ids()).size < stored.length) await pause(1_000);
  const followed = follower.ids();
  await follower.stop();
  const [{ parts }] = (await runAt(
    coordinator,
    `SELECT string_agg(shards::text, ' + ' ORDER BY nodeport) AS parts FROM (
       SELECT nodeport, count(*) AS shards FROM citus_shards WHERE table_name = 'events'::regclass GROUP BY nodeport) AS nodes`,
  )) as [{ parts: string }];
  const close = async (): Promise<void> => {
    await scene.close();
    await citus.stop();
  };
  const note = `${ROUNDS} kills of the service and of each node, a shard moved, a worker added (shards now ${parts}), ${followed.length} followed of ${stored.length}, ${followed.length - new Set(followed).size} of them twice`;
  return { scene: { ...scene, close }, traffic, note };
};
