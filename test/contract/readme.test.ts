/** The examples of the README's two sections on servers, executed as a reader would: from top to bottom. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readmeBlocks } from "../support/readme.js";
import { ACCESS_TOKEN, API_TOKEN, type Service, startService } from "./service.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Inside the project, so that what an example imports is found. */
const FOLDER = `${ROOT}test/.results/readme-${process.pid}/`;

const SECTIONS = ["Reading records: `tracklet/read`", "Sending from a server: `tracklet/send`"];

/** The examples of a section, as one module that imports the sources. */
const program = async (title: string): Promise<string> =>
  (await readmeBlocks(title, "js"))
    .join("\n")
    .replaceAll(/"tracklet\/(\w+)"/g, (_, name) => JSON.stringify(`${ROOT}src/${name}.ts`));

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

it("reads records as the README shows", async () => {
  const { exitCode, stdout, stderr } = await run("read", await program(SECTIONS[0]!), service.url);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("10 of 137");
  expect(stdout).toMatch(/not found|no such/i);
});

it("sends an event as the README shows", async () => {
  const { exitCode, stderr } = await run("send", await program(SECTIONS[1]!), service.url);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  const [event, ...others] = await service.events("contact-001");
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    contact_uid: "contact-001",
    event_uid: "invoice_paid",
    params: { account_uid: "account-01", event_id: expect.any(String), occurred_at: expect.any(Number) },
  });
});
