/** A release of what runs, and the scripts that set it up and put another one in its place. */
import { access, appendFile, cp, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { findProgram } from "../../support/engines.js";
import { ROOT } from "../../support/launch.js";
import { freePort } from "../../support/ports.js";
import { startPostgres } from "../support/postgres.js";
import { checkedBy, DEPLOY, folder, inputsOf, json, read } from "./deploy-folder.js";

it("installs all libraries that the built service loads", async () => {
  const loaded = Object.values(await inputsOf("main"))
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !path.startsWith("node:") && !builtinModules.includes(path))
    .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)![0]);
  expect(loaded).toContain("pg");
  const { dependencies } = await json("src/service/package.json");
  expect([...new Set(loaded)].filter((name) => !(name in dependencies))).toEqual([]);
});

const curl = findProgram("curl");
it.runIf(process.env.TEST_ALL && curl)(
  "makes a release of what runs, which takes the place of the last one and gives it back",
  async () => {
    const at = (name: string) => join(folder, name);
    const made = await checkedBy("npm", ["--prefix", ROOT, "run", "--silent", "release:service", "--", at("one")]);
    expect(made).toEqual({ code: 0, said: "" });
    expect(Number.parseInt((await checkedBy("du", ["-sm", at("one")])).said, 10)).toBeLessThan(145);
    for (const tool of ["esbuild", "typescript", "vitest"])
      expect(await readdir(at("one/node_modules"))).not.toContain(tool);
    for (const page of await readdir(at("one/docs/service"))) {
      const text = await readFile(at(`one/docs/service/${page}`), "utf8");
      for (const [, link] of text.matchAll(/\]\((?!https?:)([\w./-]+)/g))
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
  list-units) for pid in ${at("pid")}-*; do [ ! -f $pid ] || echo "tracklet@\${pid##*-}.service loaded active running"; done ;;
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
        ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok),
      );
    try {
      expect(await to("one")).toEqual({ code: 0, said: `tracklet runs ${at("one")}\n` });
      expect(await isReady()).toEqual([true, undefined]);
      const { said: changed } = await to("two");
      expect(changed).toMatch(/^brings in \d{4}-.+\n(.+\n)+the tables are those of .+\ntracklet runs /);
      expect(changed).toContain(`tracklet runs ${at("two")}; back with: ${script} ${at("one")}\n`);
      expect(await isReady()).toEqual([undefined, true]);
      expect(await to("three")).toEqual({ code: 1, said: `switch: there is no release in ${at("three")}\n` });
      const { code, said } = await to("broken");
      expect([code, said]).toEqual([1, expect.stringMatching(`\nswitch: ${at("two")} goes on\n$`)]);
      expect(await readlink(at("link"))).toBe(at("two"));
      expect(await isReady()).toEqual([undefined, true]);
      expect((await to("one")).code).toBe(0);
      expect(await readlink(at("link"))).toBe(at("one"));
      expect(await isReady()).toEqual([true, undefined]);
      // As with a database of its own: its folder is for one unit.
      expect((await to("two", "one-port.conf")).code).toBe(0);
      expect(await isReady()).toEqual([true, undefined]);
    } finally {
      for (const port of ports)
        await readFile(at(`pid-${port}`), "utf8").then(
          (pid) => process.kill(Number(pid), "SIGKILL"),
          () => {},
        );
      await server.stop();
    }
  },
  300_000,
);

/* setup, in front of what docker, systemd, npm and certbot would do. */

const at = (name: string) => join(folder, "setup", name);
const clone = (file: string) => at(`clone/src/service/deploy/${file}`);
const setUp = async (args: string[], path = at("bin")) => {
  await writeFile(at("called"), "");
  const own = args.map((arg) => (arg.startsWith("/") ? at(arg) : arg));
  return checkedBy(clone("setup"), own, {
    PATH: `${path}:${process.env.PATH}`,
    ETC: at("etc"),
    OPT: at("opt"),
    BIN: at("local"),
    ENV_FILE: at("etc/tracklet.env"),
    RELEASE_LINK: at("link"),
  });
};
const systemd = ["systemd", "track.shop.example", "/mnt/dumps"];
const docker = ["docker", "track.shop.example", "/mnt/dumps"];
/** What was called and matches, in its order. */
const called = async (pattern = /./) =>
  (await readFile(at("called"), "utf8")).split("\n").filter((line) => pattern.test(line));
beforeAll(async () => {
  await cp(DEPLOY, at("clone/src/service/deploy"), { recursive: true });
  for (const path of ["bin", "bare", "local", "tokens", "clone/.git", "etc/nginx/conf.d", "etc/systemd/system"])
    await mkdir(at(path), { recursive: true });
  for (const [name, text] of Object.entries({
    commit: "1a2b3c4",
    image: "",
    built: "one",
    units: "",
    "etc/timezone": "Europe/Berlin\n",
  }))
    await writeFile(at(name), text);
  // The commands of a release: of tokens it knows those that it has made.
  await writeFile(
    at("service.js"),
    `const { appendFileSync, readFileSync, existsSync } = require("fs");
const [, , ...args] = process.argv;
const [kept] = [${JSON.stringify(at("tokens/"))} + process.env.TOKENS_OF];
appendFileSync(${JSON.stringify(at("called"))}, "service " + args.join(" ") + "\\n");
if (args[0] === "token" && args[1] === "list" && existsSync(kept)) process.stdout.write(readFileSync(kept));
if (args[0] === "token" && args[1] === "create") {
  appendFileSync(kept, args[2] + "\\n");
  console.log("secret-of-" + args[2]);
}
`,
  );
  for (const program of ["docker", "systemctl", "npm", "nginx", "certbot", "curl", "git"])
    await writeFile(
      at(`bin/${program}`),
      `#!/bin/sh
echo "${program} $*" >> ${at("called")}
export TOKENS_OF=docker
case "${program} $*" in
  "git "*) cat ${at("commit")} ;;
  "docker compose version") [ ! -f ${at("closed")} ] ;;
  "systemctl list-units "*) cat ${at("units")} ;;
  "npm run "*) mkdir -p "$5/build/service" && cp ${at("service.js")} "$5/build/service/main.js" ;;
  *" build") cp ${at("built")} ${at("image")} ;;
  "docker image inspect "*) cat ${at("image")} ;;
  *" tracklet-service "*) while [ "$1" != tracklet-service ]; do shift; done; shift; node ${at("service.js")} "$@" ;;
esac
`,
      { mode: 0o755 },
    );
});

it("asks for how, and names what is missing before it changes anything", async () => {
  expect(await setUp(["docker"])).toMatchObject({ code: 1, said: expect.stringMatching(/^setup: say how/) });
  const missing = /^setup: install these first:.* certbot\b/;
  expect(await setUp(systemd, at("bare"))).toEqual({ code: 1, said: expect.stringMatching(missing) });
  expect(await called()).toEqual([]);
  await writeFile(at("closed"), "");
  expect(await setUp(docker)).toEqual({ code: 1, said: "setup: install these first: docker-compose-plugin\n" });
  expect(await called()).toEqual(["docker compose version"]);
  await rm(at("closed"));
});

it.each([
  [docker, "clone/src/service/deploy/.env", ["TRACKLET_METRICS_TOKEN", "POSTGRES_PASSWORD"]],
  [systemd, "etc/tracklet.env", ["TRACKLET_METRICS_TOKEN"]],
])(
  "%j makes each secret once, tokens in the database, and prints what a page and the owner need",
  async (args, file, names) => {
    const { code, said } = await setUp(args);
    expect([code, said]).toEqual([0, expect.stringContaining("The service runs at https://track.shop.example.")]);
    const env = await readFile(at(file), "utf8");
    expect([...env.matchAll(/^(\w+)=[0-9a-f]{64}$/gm)].map(([, name]) => name)).toEqual(names);
    expect((await stat(at(file))).mode & 0o077).toBe(0);
    expect(said).toContain('data-api-token="secret-of-website"\n    data-track-url="https://track.shop.example"');
    expect(said).toContain("the access token: secret-of-owner\n");
    expect(await called(/^service workspace/)).toEqual(["service workspace zone default Europe/Berlin"]);
    const again = await setUp([args[0]!, "other.shop.example"]);
    expect(again.said).toMatch(/^setup: .*env says TRACKLET_(DOMAIN|PUBLIC_URL)=.*track\.shop\.example: it stays$/m);
    expect(again.said).toContain('data-api-token="TOKEN"');
    expect(await called(/^service token create/)).toEqual([]);
    expect(await readFile(at(file), "utf8")).toBe(env);
    expect((await stat(at("local/tracklet-service"))).mode & 0o111).toBe(0o111);
  },
);

it("gives nginx and systemd their files, and says of one that somebody has edited what it lacks", async () => {
  await setUp(systemd);
  for (const file of ["tracklet@.service", "tracklet-backup.timer"])
    expect(await readFile(at(`etc/systemd/system/${file}`), "utf8")).toBe(await read(file));
  const backup = await readFile(at("etc/systemd/system/tracklet-backup.service"), "utf8");
  expect(backup).toContain(`\nExecStart=/usr/local/bin/tracklet-service backup ${at("mnt/dumps")}\n`);
  expect((await stat(at("mnt/dumps"))).mode & 0o777).toBe(0o700);
  expect(await called(/^(certbot|systemctl re|systemctl enable --now)/)).toEqual([
    expect.stringMatching(/^certbot certonly .*--domain track\.shop\.example$/),
    "systemctl restart tracklet@4101",
    "systemctl reload-or-restart nginx",
    "systemctl enable --now tracklet-backup.timer",
  ]);
  const conf = at("etc/nginx/conf.d/tracklet.conf");
  expect((await readFile(conf, "utf8")).match(/^ *server 127\.0\.0\.1:\d+/gm)).toHaveLength(1);
  await appendFile(clone("nginx.conf"), "# of the second release\n");
  await setUp(systemd);
  expect(await readFile(conf, "utf8")).toContain("# of the second release");
  await appendFile(conf, "# of the operator\n");
  await appendFile(clone("nginx.conf"), "# of the third release\n");
  expect((await setUp(systemd)).said).toMatch(
    /tracklet\.conf was edited, so it stays, without these lines of this release:\n {2}# of the third release\n/,
  );
  expect((await readFile(conf, "utf8")).split("\n").at(-2)).toBe("# of the operator");
});

it("brings in the next release by the same command, after a dump, and ends a unit on a port of before", async () => {
  await writeFile(at("commit"), "5d6e7f8");
  await writeFile(at("units"), "tracklet@4199.service loaded active running\n");
  const { said } = await setUp(systemd.slice(0, 2));
  expect(said).toContain(`back with: ${clone("switch")} ${at("opt")}/tracklet-service-1a2b3c4`);
  expect(await called(/^service (backup|migrate)|^systemctl (restart|disable)/)).toEqual([
    `service backup ${at("mnt/dumps")}`,
    "service migrate",
    "systemctl disable --now tracklet@4199",
    "systemctl restart tracklet@4101",
  ]);
  await writeFile(at("built"), "two");
  const back = /^back with: docker tag tracklet-service:last tracklet-service:latest && docker compose .* up /m;
  expect((await setUp(docker.slice(0, 2))).said).toMatch(back);
  const steps = await called(/^docker .*( build|backup|migrate|tag| up )/);
  expect(steps.map((line) => /build|backup|migrate|tag|up --/.exec(line)![0])).toEqual([
    "build",
    "backup",
    "tag",
    "migrate",
    "up --",
  ]);
});
