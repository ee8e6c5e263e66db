/** Downloads the versions of other trackers that the README's table names, and prints the bytes of their scripts after brotli. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

/** The script that each package has for a script tag, as it is published. */
const PEERS = [
  ["@plausible-analytics/tracker@0.4.6", "plausible.js"],
  ["@segment/analytics-next@1.84.3", "dist/umd/standalone.js"],
  ["mixpanel-browser@2.83.0", "dist/mixpanel.min.js"],
  ["@amplitude/analytics-browser@2.48.1", "lib/scripts/amplitude-min.js"],
  ["posthog-js@1.449.2", "dist/array.js"],
] as const;

const readme = readFileSync("README.md", "utf8");
const folder = mkdtempSync(join(tmpdir(), "tracklet-peers-"));
try {
  for (const [version, file] of PEERS) {
    const tarball = execFileSync("npm", ["pack", "--silent", version], { cwd: folder, encoding: "utf8" }).trim();
    const code = execFileSync("tar", ["-xOf", tarball, `package/${file}`], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    });
    const brotli = brotliCompressSync(code).length;
    console.log(`${version}, ${file}: ${brotli} B`);
    const line = readme.split("\n").find((text) => text.startsWith(`| ${version.replace(/@(?=[\d.]+$)/, " ")},`));
    if (!line?.includes(` ${(brotli / 1_000).toFixed(1)} |`)) {
      console.error(`README.md says otherwise: ${line}`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
