import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small disk of its own, which only the system's administrator may make. */
export const smallDisk = (megabytes: number) => {
  const folder = mkdtempSync(join(tmpdir(), "tracklet-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "none", folder]);
  const filler = join(folder, "filler");
  return {
    folder,
    /** Leaves so many bytes free. */
    fill: (left: number): void => {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize - left));
      } catch (error) {
        // Others write, too: it is fuller than asked for.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    empty: () => truncateSync(filler),
    remove: () => {
      execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true });
    },
  };
};

/** Why there is none here. */
export const cannotMount = (() => {
  try {
    smallDisk(1).remove();
    return undefined;
  } catch {
    return "no file system can be mounted here";
  }
})();
