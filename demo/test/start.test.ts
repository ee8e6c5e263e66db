import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dataFolder } from "../../test/support/data-folder.js";
import { freePort } from "../../test/support/ports.js";
import { serviceAt } from "../../test/support/service.js";
import { waitFor } from "../../test/support/wait.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<"start" | "service", string>;
};

/** One of the package's scripts as a process in a group of its own, as a terminal starts it; or by npm, as a person does. */
const run = (script: keyof typeof scripts, env: Record<string, string>, byNpm = false) => {
  const [command, ...args] = byNpm ? ["npm", script] : scripts[script].split(" ");
  // The command `tsx` kills what it runs when that is too busy to hear of a signal within 60 ms; the service stays.
  expect(command).toBe(byNpm ? "npm" : "node");
  const child = spawn(byNpm ? "npm" : process.execPath, args, {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, NODE_OPTIONS: "", DATABASE_URL: undefined, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    said.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.err += chunk;
  });
  const closed = once(child, "close").then(([code]) => code as number | null);
  return {
    said,
    /** Exit code. */
    closed,
    /** What was printed, as soon as it matches. */
    says: (pattern: RegExp) =>
      waitFor(
        () => {
          if (child.exitCode !== null && !pattern.test(said.out)) throw new Error(`it ended: ${said.out}${said.err}`);
          return pattern.exec(said.out);
        },
        { what: String(pattern), timeoutMs: 120_000 },
      ),
    /** As Ctrl-C in a terminal: the signal goes to every process of the group. */
    signal: (signal: NodeJS.Signals) =>
      child.exitCode === null && child.signalCode === null && process.kill(-child.pid!, signal),
    /** As the command `kill`: this process alone hears of it. */
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
};

const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

let folder: string;
let env: Record<string, string>;
let sitePort: number;
let servicePort: number;
const running: ReturnType<typeof run>[] = [];

const start = (more: Record<string, string> = {}, byNpm = false) => {
  const started = run("start", { ...env, ...more }, byNpm);
  running.push(started);
  return started;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tracklet-start-"));
  [sitePort, servicePort] = [await freePort(), await freePort()];
  await mkdir(join(folder, "dist"));
  for (const file of ["tracklet.iife.js", "tracklet.inspector.js", "index.js"])
    await writeFile(join(folder, "dist", file), "");
  env = {
    TRACKLET_SITE_PORT: String(sitePort),
    TRACKLET_SERVICE_PORT: String(servicePort),
    TRACKLET_DATA: join(folder, "data"),
    TRACKLET_DIST: join(folder, "dist"),
  };
});

afterEach(async () => {
  for (const started of running.splice(0)) {
    started.signal("SIGTERM");
    await started.closed;
  }
  for (const path of [folder, env.TRACKLET_DATA!]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
});

/** It ends with one line that matches, and leaves nothing behind that listens. */
const expectComplaint = async (more: Record<string, string>, pattern: RegExp, ours: number[]) => {
  const { said, closed } = start(more);
  expect(await closed).toBe(1);
  expect(said.err).toMatch(pattern);
  expect(said.err.trimEnd().split("\n")).toHaveLength(1);
  for (const port of ours) expect(await listens(port), `something listens on ${port}`).toBe(false);
};

describe("npm start, when something is wrong, says so in one line", () => {
  it("a missing build", () =>
    expectComplaint({ TRACKLET_DIST: join(folder, "none") }, /not built.*npm run build/, [sitePort, servicePort]));

  it("a value that is no port", () =>
    expectComplaint({ TRACKLET_SITE_PORT: "many" }, /TRACKLET_SITE_PORT=many is not a port/, [servicePort]));

  it.each([
    ["the site", "TRACKLET_SITE_PORT"],
    ["the service", "TRACKLET_SERVICE_PORT"],
  ])("a port in use, that of %s", async (_, name) => {
    const [taken, other] = name === "TRACKLET_SITE_PORT" ? [sitePort, servicePort] : [servicePort, sitePort];
    const owner = createServer().listen(taken, "127.0.0.1");
    await once(owner, "listening");
    const line = `Port ${taken} is already in use, perhaps by a demo that runs .*http://127.0.0.1:${taken}.*${name}`;
    await expectComplaint({}, new RegExp(line), [other]);
    owner.close();
  });

  it("a data folder that is a file", async () => {
    await writeFile(join(folder, "data"), "not a database");
    await expectComplaint({}, /data/, [sitePort, servicePort]);
  });
});

it("npm start finds out about used ports before it installs anything", async () => {
  const bare = join(folder, "clone");
  for (const path of ["demo/start", "src/service/config/defaults.mjs"])
    await cp(join(ROOT, path), join(bare, path), { recursive: true });
  const owner = createServer().listen(servicePort, "127.0.0.1");
  await once(owner, "listening");
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(bare, "demo/start/start.mjs")], {
    env: { ...process.env, NODE_OPTIONS: "", ...env },
    encoding: "utf8",
  });
  owner.close();
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain(`Port ${servicePort} is already in use`);
});

describe("npm start", () => {
  let data: string;
  beforeEach(async () => {
    data = await dataFolder();
    env.TRACKLET_DATA = data;
  });

  const post = () =>
    fetch(`http://127.0.0.1:${servicePort}/v1/track/event?api_token=demo-api-token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ contact_uid: "somebody", event_uid: "kept", params: {} }),
    });
  const stored = async () =>
    (await serviceAt(`http://127.0.0.1:${servicePort}`).rows("somebody")).map(({ event_uid }) => event_uid);

  it("prints the addresses, says at Ctrl-C what is kept, and goes on with it at the next start", async () => {
    const first = start();
    await first.says(/Ctrl-C/);
    for (const text of [
      `http://127.0.0.1:${sitePort}`,
      `http://127.0.0.1:${servicePort}/#span=30d  (asks`,
      "demo-api-token",
    ])
      expect(first.said.out).toContain(text);
    expect(first.said.out).toContain("on this computer only");
    const [, inspector] = /javascript:void import\("([^"?]+)\?" \+ Date\.now\(\)\)/.exec(first.said.out)!;
    // A page of another origin imports it.
    const answer = await fetch(inspector!);
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect((await post()).status).toBe(200);
    const ports = `TRACKLET_SERVICE_PORT=${servicePort} `;
    expect(first.said.out).toContain(`${ports}npm run demo:read,`);
    const home = await (await fetch(`http://127.0.0.1:${sitePort}/`)).text();
    expect(home).toContain(`<code>TRACKLET_DEMO=on ${ports}TRACKLET_DATA=${data} npm run service</code>`);
    first.signal("SIGINT");
    expect(await first.closed).toBe(0);
    const kept = `\n  Kept: all events and records, in ${data}. npm start goes on with them; to begin anew, delete that folder.\n\n`;
    expect(first.said).toEqual({ out: expect.stringContaining(kept), err: "" });
    expect([await listens(sitePort), await listens(servicePort)]).toEqual([false, false]);

    const second = start();
    await second.says(/Ctrl-C/);
    expect(await stored()).toEqual(["kept"]);
    // Killed, it can tell nobody: the service notices by itself.
    second.kill("SIGKILL");
    await waitFor(async () => !(await listens(servicePort)), { what: "the end of the service" });
    expect(second.said.err).toBe("");
  });

  it.each([
    ["it is", false],
    ["npm alone is", true],
  ])("ends with all it has started when %s told to while it starts", async (_, byNpm) => {
    const started = start({}, byNpm);
    await started.says(/Starting/);
    if (byNpm) started.kill("SIGTERM");
    else started.signal("SIGINT");
    if (!byNpm) expect([await started.closed, started.said.err]).toEqual([0, ""]);
    // The site is closed after the service.
    await waitFor(async () => !(await listens(sitePort)), { what: "the end of the site" });
    expect(await listens(servicePort)).toBe(false);
  });

  it("keeps the site up when the service dies, and says how to start it again and that it is back", async () => {
    const started = start();
    const [, pid] = await started.says(/process (\d+)\)[\s\S]*Ctrl-C/);
    process.kill(Number(pid), "SIGKILL");
    const [line] = await started.says(/^The service stopped \(SIGKILL\).*npm run service$/m);
    expect((await fetch(`http://127.0.0.1:${sitePort}/live.html`)).status).toBe(200);

    // The command that it printed, as a person types it.
    const given = Object.fromEntries(
      Array.from(line.matchAll(/(TRACKLET_\w+)=(\S+)/g), ([, name, value]) => [name, value]),
    );
    expect(given).toEqual({ TRACKLET_DEMO: "on", TRACKLET_SERVICE_PORT: String(servicePort), TRACKLET_DATA: data });
    const service = run("service", given as Record<string, string>);
    running.push(service);
    await started.says(/^The service answers again at/m);
    // Whoever started it in a terminal stops it there.
    const state = await (await fetch(`http://127.0.0.1:${sitePort}/service`)).json();
    expect(state).toMatchObject({ state: "up", canSwitch: false, outages: [[expect.any(Number), expect.any(Number)]] });
    expect((await post()).status).toBe(200);
    expect(started.said.err).toBe("");
  });
});
