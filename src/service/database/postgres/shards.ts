import type { Query, Shard } from "../database.js";
import { hashUuid } from "./uuid-hash.js";

/** Where the rows of keys lie. It is believed for the way alone: a row is stored right by whichever way it comes. */
interface Shards {
  /** The shard of a key; nothing where events are not spread. */
  of(key: string): Shard | undefined;
  /** Are events spread, as far as is known? */
  areSpread(): boolean;
  /** Learns where the shards are now. */
  read(): Promise<void>;
}

const IS_CLUSTER = "SELECT to_regclass('pg_dist_shard') IS NOT NULL AS found";
/** With two copies of a shard, one of them. */
const SHARDS = `SELECT shardid AS id, min(groupid) AS node, shardminvalue::int AS from
FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
WHERE logicalrelid = to_regclass('events') AND shardminvalue IS NOT NULL
GROUP BY shardid, shardminvalue ORDER BY shardminvalue::int`;

export const createShards = (query: Query): Shards => {
  let shards: (Shard & { from: number })[] = [];
  return {
    areSpread: () => shards.length > 0,
    of: (key) => {
      if (shards.length === 0) return undefined;
      const hash = hashUuid(key);
      let [low, high] = [0, shards.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (shards[middle]!.from <= hash) low = middle;
        else high = middle - 1;
      }
      return shards[low];
    },
    read: async () => {
      const [cluster] = await query<{ found: boolean }>(IS_CLUSTER);
      const rows = cluster!.found ? await query<Record<"id" | "node" | "from", unknown>>(SHARDS) : [];
      shards = rows.map(({ id, node, from }) => ({ id: Number(id), node: Number(node), from: Number(from) }));
    },
  };
};
