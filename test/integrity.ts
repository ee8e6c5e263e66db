/** Writes the integrity of the built script into the README, where its tag stands. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const script = await readFile("dist/tracklet.iife.js");
const readme = await readFile("README.md", "utf8");
const value = `sha384-${createHash("sha384").update(script).digest("base64")}`;
await writeFile("README.md", readme.replace(/sha384-[\w+/=]{64}/g, value));
