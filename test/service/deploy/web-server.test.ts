/** What the web servers in front of the service pass on, and what they log. */
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findProgram } from "../../support/engines.js";
import { type Launched, launch } from "../../support/launch.js";
import { freePort } from "../../support/ports.js";
import { waitFor } from "../../support/wait.js";
import { checkedBy, DEPLOY, folder, read } from "./deploy-folder.js";

/** What visitors and the owner ask for, and what stays inside. */
const OUTSIDE =
  "/ /accounts /accounts/a /contacts /contacts/a /steps /questions /left-out /numbers/main.js /inspector.js /v1/track/event /v2/numbers".split(
    / /,
  );
const INSIDE = ["/metrics", "/healthz", "/docs", "/numbers", "/accountsx"];

it("has a configuration of nginx that passes on the interface and the numbers page alone", async () => {
  const passed = new RegExp(/location ~ (\S+) \{/.exec(await read("nginx.conf"))![1]!);
  expect([...OUTSIDE, ...INSIDE].filter((path) => passed.test(path))).toEqual(OUTSIDE);
});

const nginx = findProgram("nginx");
/** nginx.conf with other ports, without the certificate, its logs in a folder. */
const startNginx = async (port: number, ports: readonly number[]): Promise<Launched> => {
  let recipe = (await read("nginx.conf"))
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_.*\n/gm, "")
    .replaceAll("/var/log/nginx/", `${folder}/`);
  for (const [index, to] of ports.entries()) recipe = recipe.replaceAll(`127.0.0.1:410${index + 1}`, `127.0.0.1:${to}`);
  await writeFile(join(folder, "recipe.conf"), recipe);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  await writeFile(
    join(folder, "main.conf"),
    `daemon off;
     ${process.getuid?.() === 0 ? "user root;" : ""}
     pid ${folder}/nginx.pid;
     events {}
     http {
       ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}
       include ${folder}/recipe.conf;
     }`,
  );
  const front = launch(nginx!, ["-p", folder, "-c", join(folder, "main.conf"), "-e", join(folder, "error.log")]);
  await waitFor(() => {
    if (!front.isRunning()) throw new Error(front.said());
    return fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    );
  });
  return front;
};

it.skipIf(nginx === undefined)(
  "has a configuration of nginx that asks the port that is down once a second, and tells why none answers",
  async () => {
    const ports = [await freePort(), await freePort()];
    const port = await freePort();
    const behind = ports.map(() => createServer((_, response) => response.end()));
    const listen = (which: number) => new Promise<void>((resolve) => behind[which]!.listen(ports[which], resolve));
    const close = (which: number) => new Promise((resolve) => behind[which]!.close(resolve).closeAllConnections());
    await listen(1);
    const front = await startNginx(port, ports);
    const statuses = async (count: number) => {
      const told = new Set<number>();
      for (let number = 0; number < count; number += 1)
        told.add((await fetch(`http://127.0.0.1:${port}/v1/track/event?api_token=secret`, { method: "POST" })).status);
      return [...told];
    };
    /** Of the lines since then. */
    let seen = 0;
    const lines = async () => {
      const all = (await readFile(join(folder, "tracklet.log"), "utf8")).trimEnd().split("\n");
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
      expect(await readFile(join(folder, log), "utf8")).not.toContain("secret");
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
    const env = { HOME: folder, XDG_DATA_HOME: folder, TRACKLET_DOMAIN: url };
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
