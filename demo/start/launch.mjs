/**
 * What `npm start` runs, with nothing but Node: installs and builds where something has changed, then starts the demo.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isServiceBuilt, isSnippetBuilt, readInstalled } from "./fresh.mjs";
import { whenOrphaned } from "./parent.mjs";
import { checkPorts } from "./ports.mjs";
import { withProgress } from "./progress.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs npm. What it says is shown only where it fails.
 *
 * @param {string[]} args
 */
const npm = (...args) =>
  new Promise((resolve, reject) => {
    const path = process.env.npm_execpath;
    const [command, ...first] = path ? [process.execPath, path] : ["npm"];
    const child = spawn(/** @type {string} */ (command), [...first, ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      shell: !path && process.platform === "win32",
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => {
        said += text;
      });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`${said}npm ${args.join(" ")} has failed: see above.`)),
    );
  });

const prepare = async () => {
  await checkPorts();
  const { isFresh, hasTests } = readInstalled();
  if (!isFresh)
    await withProgress("Installing what the demo needs; the first time takes a minute", () =>
      // Where the tests' tools are installed, they stay.
      npm("install", ...(hasTests ? [] : ["--omit=dev"]), "--no-audit", "--no-fund", "--loglevel=error"),
    );
  // Whoever names a folder of their own has built it.
  if (!process.env.TRACKLET_DIST && !isSnippetBuilt())
    await withProgress("Building the snippet", () => npm("run", "--silent", "build:snippet"));
  if (!isServiceBuilt()) await withProgress("Building the service", () => npm("run", "--silent", "build:service"));
};

// As if the signal had reached it. Whoever starts this file without npm may leave it running.
if (process.env.npm_lifecycle_event === "start") whenOrphaned(() => process.kill(process.pid, "SIGTERM"));

try {
  await prepare();
  const { register } = await import("tsx/esm/api");
  register();
  await import("../start.ts");
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
