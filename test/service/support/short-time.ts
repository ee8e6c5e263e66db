/* The service, or a command of it, whose transactions have little time: what takes minutes is tested in seconds. */
import { createService } from "../../../src/service/app.js";
import { runCommand } from "../../../src/service/commands/cli.js";
import { readConfig } from "../../../src/service/config/options.js";
import { SHORT } from "./bounds.js";

const config = readConfig(process.env);
const [, , ...args] = process.argv;
if (args.length > 0) {
  const { stdout, stderr } = process;
  await runCommand(args, config, { stdout, stderr, bounds: SHORT }).catch((error: Error) => {
    console.error(`service: ${error.message}`);
    process.exit(1);
  });
} else {
  const app = await createService({ ...config, bounds: SHORT });
  const listenTextResolver = (address: string) => `service ready at ${address}`;
  await app.listen({ port: config.port, host: config.host, listenTextResolver });
  process.on("SIGTERM", () => app.close());
}
