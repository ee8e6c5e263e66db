/** What everybody knows: the tokens of a service that is for trying out. */
export const DEMO_TOKENS = {
  apiToken: "demo-api-token",
  accessToken: "demo-access-token",
  adminToken: "demo-admin-token",
} as const;
