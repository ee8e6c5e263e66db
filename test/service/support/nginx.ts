import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../../support/engines.js";
import { type Launched, launch, ROOT } from "../../support/launch.js";
import { waitFor } from "../../support/wait.js";

export const nginx = findProgram("nginx");

/** nginx.conf with other ports, without the certificate, its logs in a folder. */
export const startNginx = async (folder: string, port: number, ports: readonly number[]): Promise<Launched> => {
  let recipe = (await readFile(join(ROOT, "src/service/deploy/nginx.conf"), "utf8"))
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
