import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { minify } from "terser";
import { ROOT } from "./launch.js";

/** Other trackers: the version, and the script that its package has for a script tag; `minified` where we do that. */
export const PEERS = {
  Plausible: ["@plausible-analytics/tracker@0.4.6", "plausible.js"],
  Segment: ["@segment/analytics-next@1.84.3", "dist/umd/standalone.js"],
  Mixpanel: ["mixpanel-browser@2.83.0", "dist/mixpanel.min.js"],
  Amplitude: ["@amplitude/analytics-browser@2.48.1", "lib/scripts/amplitude-min.js"],
  PostHog: ["posthog-js@1.449.2", "dist/array.js"],
  Snowplow: ["@snowplow/browser-tracker@4.10.1", "dist/index.umd.min.js"],
  // The one that a CDN serves is not in the package; this one has its plugins with it, too, but is not minified.
  RudderStack: ["@rudderstack/analytics-js@3.34.1", "dist/npm/modern/bundled/umd/index.js", "minified"],
} as const;
export type PeerName = keyof typeof PEERS;

/** Where the packages are kept. Git and the published package leave it out. */
const FOLDER = join(ROOT, "node_modules/.cache/tracklet-peers");

/** The text of a peer's script; npm downloads its package when it is first asked for. */
export const peerScript = async (name: PeerName): Promise<string> => {
  const [version, file, byUs] = PEERS[name];
  const folder = join(FOLDER, version.replaceAll("/", "+"));
  if (!existsSync(join(folder, "package.tgz"))) {
    mkdirSync(folder, { recursive: true });
    const said = execFileSync("npm", ["pack", "--silent", version], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    execFileSync("mv", [said.trim(), "package.tgz"], { cwd: folder });
  }
  const script = join(folder, "package", file);
  if (!existsSync(script)) execFileSync("tar", ["-xzf", "package.tgz", `package/${file}`], { cwd: folder });
  const text = readFileSync(script, "utf8");
  return byUs ? (await minify(text, { ecma: 2020 })).code! : text;
};
