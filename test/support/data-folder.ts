import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCluster } from "../../src/service/database/embedded/open-embedded.js";
import { findPrograms } from "../../src/service/database/embedded/programs.js";
import { INITDB } from "../../src/service/database/embedded/server.js";
import { serverUser } from "../../src/service/database/embedded/server-user.js";

/** The data folder of an empty database, kept between runs: to make one takes most of a first start. */
const emptyFolder = (): string => {
  const kind = createHash("sha256")
    .update([process.getuid?.(), ...INITDB].join())
    .digest("hex");
  const kept = join(tmpdir(), `tracklet-empty-${kind.slice(0, 8)}`);
  if (existsSync(kept)) return kept;
  const folder = mkdtempSync(join(tmpdir(), "tracklet-data-"));
  const user = serverUser(join(folder, "cluster"));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  makeCluster(folder, findPrograms(folder, user), user);
  try {
    renameSync(folder, kept);
  } catch {
    // Another process was faster.
    rmSync(folder, { recursive: true });
  }
  return kept;
};

/** A data folder for the service in which an empty database is. @param parent where it is made */
export const dataFolder = async (parent = tmpdir()): Promise<string> => {
  const kept = emptyFolder();
  const folder = mkdtempSync(join(parent, "tracklet-data-"));
  const { uid, gid } = statSync(kept);
  chownSync(folder, uid, gid);
  execFileSync("cp", ["-a", join(kept, "cluster"), folder]);
  for (const name of readdirSync(kept))
    if (name.startsWith("programs-")) symlinkSync(join(kept, name), join(folder, name));
  return folder;
};
