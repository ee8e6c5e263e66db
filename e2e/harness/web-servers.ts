import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../../test/support/launch.js";
import { freePort } from "../../test/support/ports.js";
import { waitFor } from "../../test/support/wait.js";
import { place } from "./install.js";

/** What a recipe is given in place of what it shows: the website, the service, and the folder of the built script. */
type Places = Record<"site" | "service" | "folder", string>;

/** Runs a web server on a folder of its own until it answers; it stands before the site. */
const run = async (
  program: string,
  args: (folder: string) => string[],
  files: (folder: string, port: number) => Record<string, string>,
) => {
  const folder = await mkdtemp(join(tmpdir(), "tracklet-front-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  for (const [name, content] of Object.entries(files(folder, port))) await writeFile(join(folder, name), content);
  const server = launch(program, args(folder), {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const isAnswering = (): Promise<boolean> => {
    if (!server.isRunning()) throw new Error(`${program} ended at once:\n${server.said()}`);
    return fetch(url).then(
      () => true,
      () => false,
    );
  };
  await waitFor(isAnswering, { what: `${program} to answer` });
  return {
    url,
    close: async () => {
      await server.end("SIGTERM");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

const RECIPES = new URL("../../demo/recipes/", import.meta.url);

/** nginx with the recipe in its server, which passes everything else on to the site. */
export const startNginx = async (program: string, { site, service, folder: dist }: Places) => {
  const recipe = place(await readFile(new URL("nginx.conf", RECIPES), "utf8"), {
    "https://track.example.com": service,
    "/var/www": dist,
  });
  return run(
    program,
    (folder) => ["-p", folder, "-c", join(folder, "main.conf"), "-e", join(folder, "error.log")],
    (folder, port) => ({
      "recipe.conf": recipe,
      "main.conf": `
        daemon off;
        ${process.getuid?.() === 0 ? "user root;" : ""}
        worker_processes 1;
        pid ${folder}/nginx.pid;
        events {}
        http {
          access_log off;
          ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n")}
          server {
            listen 127.0.0.1:${port};
            include ${folder}/recipe.conf;
            location / { proxy_pass ${site}; }
          }
        }`,
    }),
  );
};

/** Caddy with the recipe as its site, and a handler for everything else. */
export const startCaddy = async (program: string, { site, service, folder: dist }: Places) => {
  const recipe = await readFile(new URL("Caddyfile", RECIPES), "utf8");
  return run(
    program,
    (folder) => ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"],
    (_, port) => ({
      Caddyfile: `{\n  admin off\n}\n${place(recipe, {
        "shop.example {": `http://127.0.0.1:${port} {\n  handle {\n    reverse_proxy ${site}\n  }\n`,
        "https://track.example.com": service,
        "/var/www": dist,
      })}`,
    }),
  );
};
