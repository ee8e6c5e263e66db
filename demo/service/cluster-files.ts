import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A segment of the write-ahead log (PostgreSQL, "WAL Internals"). */
const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * What a database's folder lacks, as where it was copied in part. Without it the engine takes the folder for a new one, or ends
 * with a message about its own build.
 */
export const missingFile = (cluster: string): string | undefined => {
  const missing = ["PG_VERSION", "global/pg_control"].find((file) => !existsSync(join(cluster, file)));
  if (missing) return missing;
  const log = join(cluster, "pg_wal");
  const hasLog = existsSync(log) && readdirSync(log).some((file) => SEGMENT.test(file));
  return hasLog ? undefined : "pg_wal/, its write-ahead log,";
};
