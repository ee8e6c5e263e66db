import { fileURLToPath } from "node:url";

/** Where the service is and whom it knows, unless its environment says otherwise. */
export const DEFAULTS = {
  port: 4100,
  host: "127.0.0.1",
  dataFolder: fileURLToPath(new URL("../.data", import.meta.url)),
  apiToken: "demo-api-token",
  accessToken: "demo-access-token",
};
