import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig } from "../../../src/service/config/read-config.js";
import type { ServiceConfig } from "../../../src/service/config/service-config.js";
import { AT_ONCE } from "./bounds.js";

/** What a command writes to stdout and stderr, where all is settled at once. @throws what it fails with */
export const runTold = async (
  config: Partial<ServiceConfig>,
  ...args: string[]
): Promise<{ out: string; err: string }> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  try {
    await runCommand(args, { ...readConfig({}), ...config }, { stdout, stderr, bounds: AT_ONCE });
  } finally {
    stdout.end();
    stderr.end();
  }
  return { out: await out, err: await err };
};
