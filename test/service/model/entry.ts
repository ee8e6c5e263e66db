/* The service, or a command of it, as a process that the model may kill at each of its operations; `MODEL_BOUNDS` says its times. */
import "./crash.js";
import { SHORT, SOON } from "../support/bounds.js";

const { readConfig } = await import("../../../src/service/config/options.js");
const config = readConfig(process.env);
const bounds = process.env.MODEL_BOUNDS === "SOON" ? SOON : SHORT;
const [, , ...args] = process.argv;
if (args.length > 0) {
  const { runCommand } = await import("../../../src/service/commands/cli.js");
  const { stdout, stderr } = process;
  await runCommand(args, config, { stdout, stderr, bounds }).catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
} else {
  const { createService } = await import("../../../src/service/app.js");
  const app = await createService({ ...config, bounds });
  const listenTextResolver = (address: string) => `service ready at ${address}`;
  await app.listen({ port: config.port, host: config.host, listenTextResolver });
  process.on("SIGTERM", () => app.close());
}
