/** Plain JavaScript: `npm start` looks whether the port is free before anything is installed. */
export const DEFAULT_PORT = 4100;

/** What everybody knows: the tokens of a service that is for trying out. */
export const DEMO_TOKENS = {
  apiToken: "demo-api-token",
  accessToken: "demo-access-token",
  adminToken: "demo-admin-token",
};
