import { closeSync, cpSync, existsSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOf } from "../../../../src/service/database/embedded/folder.js";
import { listenFor } from "../../../../src/service/database/embedded/listening.js";
import { makeCluster } from "../../../../src/service/database/embedded/make-cluster.js";
import { linkPrograms } from "../../../../src/service/database/embedded/programs.js";
import { startServer } from "../../../../src/service/database/embedded/server.js";
import { giveTo, serverUser } from "../../../../src/service/database/embedded/server-user.js";
import { npm } from "../../../support/npm.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Where a process finds what a build would carry that moves from version 17 to the next. */
export const MODULES = join(HERE, "node_modules");
const NAME = `postgresql-17-${process.platform}-${process.arch}`;

/** A data folder as a build with PostgreSQL 17 has made it, filled by `work` at the URL of its server. */
export const formerFolder = async (work: (url: string) => Promise<void>): Promise<string> => {
  if (!existsSync(join(MODULES, NAME, "native")))
    await npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], HERE);
  const folder = mkdtempSync(join(tmpdir(), "tracklet-former-"));
  const { cluster } = filesOf(folder);
  const user = serverUser(cluster, true);
  // Where the server's user can run them.
  const native = join(folder, "programs-17/native");
  cpSync(join(MODULES, NAME, "native"), native, { recursive: true, verbatimSymlinks: true });
  linkPrograms(native);
  giveTo(folder, user);
  const programs = { version: "17.10", file: (name: string) => join(native, "bin", name) };
  makeCluster(folder, programs, user);
  const listening = await listenFor(folder, user);
  const lock = openSync(join(folder, "service.lock"), "w");
  const server = startServer({ folder, programs, user, listening, lock });
  await server.ready;
  await work(listening.url);
  await server.end();
  closeSync(lock);
  return folder;
};
