import { startService } from "../../test/support/service.js";
import { BUILDER_URL, startBuilder } from "../apps/builder.js";

/** The environment variable that tells the workers where the service is. */
export const SERVICE_URL = "TEST_SERVICE";

/** Starts what all workers of a run share. The runner calls what this resolves to when all is over. */
// biome-ignore lint/style/noDefaultExport: the runner asks for one
export default async (): Promise<() => Promise<void>> => {
  const [service, builder] = await Promise.all([startService(), startBuilder(process.env.TEST_ALL === "1")]);
  process.env[SERVICE_URL] = service.url;
  process.env[BUILDER_URL] = builder.url;
  return async () => {
    builder.dispose();
    await service.dispose();
  };
};
