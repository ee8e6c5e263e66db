import { startService } from "../../test/support/service.js";

/** The environment variable that tells the workers where the service is. */
export const SERVICE_URL = "TEST_SERVICE";

/** Starts what all workers of a run share. The runner calls what this resolves to when all is over. */
// biome-ignore lint/style/noDefaultExport: the runner asks for one
export default async (): Promise<() => Promise<void>> => {
  const service = await startService();
  process.env[SERVICE_URL] = service.url;
  return service.dispose;
};
