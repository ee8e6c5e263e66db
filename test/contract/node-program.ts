import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a module that imports `tracklet/…` from the sources, in a Node process of its own. */
export const runProgram = async (code: string, environment: Record<string, string> = {}) => {
  const program = code.replaceAll(/"tracklet\/(\w+)"/g, (_, name) => JSON.stringify(`${ROOT}src/${name}.ts`));
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, "close");
  return { exitCode, stdout, stderr };
};
