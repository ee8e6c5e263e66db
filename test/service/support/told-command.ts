import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig, type ServiceConfig } from "../../../src/service/config/options.js";
import { AT_ONCE } from "./bounds.js";

/** Of a text with an object a line. */
export const linesOf = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** What a command says of a database on which no service runs. */
const WHERE = /^works on .*, where no service runs\n/m;

/** What a command writes to stdout and stderr, where all is settled at once; and by itself where it works. @throws what it fails with */
export const runTold = async (
  config: Partial<ServiceConfig>,
  ...args: string[]
): Promise<{ out: string; err: string; where: string | undefined }> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  try {
    await runCommand(args, { ...readConfig({}), ...config }, { stdout, stderr, bounds: AT_ONCE });
  } finally {
    stdout.end();
    stderr.end();
  }
  const said = await err;
  return { out: await out, err: said.replace(WHERE, ""), where: WHERE.exec(said)?.[0] };
};
