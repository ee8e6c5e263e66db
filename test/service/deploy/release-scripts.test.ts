/** A release of what runs, and the scripts that set it up and put another one in its place. */
import { access, cp, mkdir, readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../../support/engines.js";
import { ROOT } from "../../support/launch.js";
import { freePort } from "../../support/ports.js";
import { startPostgres } from "../support/postgres-server.js";
import { checkedBy, DEPLOY, folder, json, read } from "./deploy-folder.js";

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
