/**
 * What `npm start` runs, with nothing but Node: looks whether the ports are free, installs and builds where something has
 * changed, says what it is doing, and starts the demo.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_PORT } from "../../src/service/config/defaults.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HOST = "127.0.0.1";
/** Milliseconds between two signs of life, and between two looks at who this process's parent is. */
const [TELL_MS, LOOK_MS] = [5_000, 250];

/**
 * @param {string} name
 * @param {number} byDefault
 */
const readPort = (name, byDefault) => {
  const text = process.env[name] ?? "";
  if (text === "") return byDefault;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`${name}=${text} is not a port: give a whole number from 0 to 65535.`);
};

/**
 * @param {string} name the variable that chooses another one
 * @param {number} port
 * @param {string} page
 */
const checkPort = (name, port, page) =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (/** @type {NodeJS.ErrnoException} */ { code, message }) => {
      const why =
        code === "EADDRINUSE"
          ? `is already in use, perhaps by a demo that runs (look at http://${HOST}:${port}${page})`
          : `cannot be opened (${message})`;
      reject(new Error(`Port ${port} ${why}: free it, or choose another one in ${name}.`));
    });
    probe.listen(port, HOST, () => probe.close(resolve));
  });

/** The sources of the service and its pages, of which the snippet beside them is not built. */
const SERVICE = ["service", "pages"].map((name) => join("src", name));

/**
 * When a file, or anything in a folder but the service, was changed last, the folder's own list of files included; 0 where
 * it is not there.
 *
 * @param {string} path
 * @returns {number}
 */
const changedAt = (path) => {
  const full = join(ROOT, path);
  if (!existsSync(full)) return 0;
  const own = statSync(full);
  if (!own.isDirectory()) return own.mtimeMs;
  const inner = readdirSync(full).map((name) => join(path, name));
  return Math.max(own.mtimeMs, ...inner.filter((name) => !SERVICE.includes(name)).map(changedAt));
};

/** @param {string[]} sources @param {string[]} outputs */
const isFresh = (sources, outputs) => Math.max(...sources.map(changedAt)) <= Math.min(...outputs.map(changedAt));

const LOCK = "package-lock.json";
const COMMON = ["package.json", LOCK, "tsconfig.json"];

/** Is all there that the demo needs? npm writes its own list each time that it installs. */
export const isInstalled = () =>
  existsSync(join(ROOT, "node_modules/tsx")) &&
  isFresh([LOCK, "package.json", "demo/package.json", "src/service/package.json"], [`node_modules/.${LOCK}`]);

/** Is the snippet built from the sources as they are? */
export const isSnippetBuilt = () =>
  isFresh(
    [...COMMON, "rollup.config.mjs", "src"],
    ["tracklet.iife.js", "tracklet.inspector.js", "index.js"].map((file) => join("dist", file)),
  );

/** Is the service? */
export const isServiceBuilt = () => isFresh([...COMMON, ...SERVICE, "src/shared"], ["build/service/main.js"]);

/**
 * Says what is being done, and while it takes long how long it has taken.
 *
 * @template Result
 * @param {string} what
 * @param {() => Promise<Result>} run
 * @returns {Promise<Result>}
 */
const withProgress = async (what, run) => {
  const begun = performance.now();
  console.log(`${what} …`);
  const tell = () => console.log(`  … ${Math.round((performance.now() - begun) / 1_000)} s`);
  const timer = setInterval(tell, TELL_MS);
  return run().finally(() => clearInterval(timer));
};

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

/** npm passes a signal on to the shell between the two, which ends without telling anybody. */
const endWithParent = () => {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_MS);
  timer.unref();
};

const start = async () => {
  // Whoever starts this file without npm may leave it running.
  if (process.env.npm_lifecycle_event === "start") endWithParent();
  const sitePort = readPort("TRACKLET_SITE_PORT", 4200);
  const servicePort = readPort("TRACKLET_SERVICE_PORT", DEFAULT_PORT);
  await checkPort("TRACKLET_SITE_PORT", sitePort, "");
  await checkPort("TRACKLET_SERVICE_PORT", servicePort, "/docs");
  if (!isInstalled())
    await withProgress("Installing what the demo needs; the first time takes a minute", () =>
      // Where the tests' tools are installed, they stay.
      npm(
        "install",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        ...(existsSync(join(ROOT, "node_modules/vitest")) ? [] : ["--omit=dev"]),
      ),
    );
  // Whoever names a folder of their own has built it.
  if (!process.env.TRACKLET_DIST && !isSnippetBuilt())
    await withProgress("Building the snippet", () => npm("run", "--silent", "build:snippet"));
  if (!isServiceBuilt()) await withProgress("Building the service", () => npm("run", "--silent", "build:service"));

  const { register } = await import("tsx/esm/api");
  register();
  const { startDemo } = await import("./main.ts");
  await startDemo({ sitePort, servicePort }, withProgress);
};

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  start().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
