/** The examples of docs/server.md, each executed as it stands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf } from "../support/readme.js";
import { ACCESS_TOKEN, API_TOKEN, type Service, startService } from "./service.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Inside the project, so that what an example imports is found. */
const FOLDER = `${ROOT}test/.results/readme-${process.pid}/`;

const run = async (name: string, code: string, url: string) => {
  const file = `${FOLDER}${name}.mts`;
  await writeFile(file, code);
  const child = spawn(process.execPath, ["--import", "tsx", file], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      TRACKLET_BASE_URL: url,
      TRACKLET_TRACK_URL: url,
      TRACKLET_ACCESS_TOKEN: ACCESS_TOKEN,
      TRACKLET_API_TOKEN: API_TOKEN,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const [exitCode] = await once(child, "close");
  return { exitCode, ...output };
};

let service: Service;
beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  service = await startService();
});
afterAll(async () => {
  await service?.stop();
  await rm(FOLDER, { recursive: true, force: true });
});

const examples = (await blocksOf("docs/server.md")).filter(({ language }) => language === "js");

it.each(examples)('runs as it stands under "$section"', async ({ section, code }) => {
  const program = code.replaceAll(/"tracklet\/(\w+)"/g, (_, name) => JSON.stringify(`${ROOT}src/${name}.ts`));
  const { exitCode, stdout, stderr } = await run(section.replaceAll(" ", "-"), program, service.url);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  if (section === "List users") expect(stdout).toContain("10 of 137");
  if (section === "Errors") expect(stdout).toMatch(/^not found: .+/);
  if (section === "Test your own code") expect(stdout).toBe("contact-001\n");
});

it("has stored what the examples send", async () => {
  const sent = ["contact-001", "contact-002", "contact-003"].map((contact) => service.events(contact));
  expect((await Promise.all(sent)).map((events) => events.map(({ event_uid }) => event_uid))).toEqual([
    ["invoice_paid"],
    ["export_finished"],
    ["report_viewed"],
  ]);
});
