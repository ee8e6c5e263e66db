import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { ROOT } from "./launch.js";

/** An empty database as this version of PGlite makes it; kept between runs. */
const emptyDatabase = async (): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(ROOT, "node_modules/@electric-sql/pglite/package.json"), "utf8"));
  const cluster = join(ROOT, `test/.results/cluster-${version}`);
  if (existsSync(cluster)) return cluster;
  const unfinished = `${cluster}-${process.pid}`;
  await mkdir(join(ROOT, "test/.results"), { recursive: true });
  await (await PGlite.create(unfinished)).close();
  // Another process may have been faster.
  await rename(unfinished, cluster).catch(() => rm(unfinished, { recursive: true }));
  return cluster;
};

/** A data folder for the service in which an empty database is: to make one takes most of a first start. */
export const dataFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-data-"));
  await cp(await emptyDatabase(), join(folder, "postgres"), { recursive: true });
  return folder;
};
