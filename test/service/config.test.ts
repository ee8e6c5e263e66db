import { expect, it } from "vitest";
import { readConfig } from "../../demo/service/config.js";

it("has defaults that suit the demo", () => {
  expect(readConfig({})).toEqual({
    port: 4100,
    host: "127.0.0.1",
    dataFolder: expect.stringMatching(/demo[\\/]\.data$/),
    databaseUrl: undefined,
    apiToken: "demo-api-token",
    accessToken: "demo-access-token",
    maxEventBytes: 262_144,
    rateLimit: expect.any(Number),
  });
});

it("is read from the environment", () => {
  const environment = {
    TRACKLET_SERVICE_PORT: "0",
    TRACKLET_SERVICE_HOST: "::1",
    TRACKLET_DATA: "/data",
    DATABASE_URL: "postgresql://user:secret@db.example:5433/tracklet",
    TRACKLET_API_TOKEN: "a",
    TRACKLET_ACCESS_TOKEN: "b",
    TRACKLET_MAX_EVENT_BYTES: "1000",
    TRACKLET_RATE_LIMIT: "0",
  };
  expect(Object.values(readConfig(environment))).toEqual([
    0,
    "::1",
    "/data",
    environment.DATABASE_URL,
    "a",
    "b",
    1000,
    0,
  ]);
});

it.each([
  ["TRACKLET_SERVICE_PORT", "65536"],
  ["TRACKLET_SERVICE_PORT", "http"],
  ["TRACKLET_SERVICE_HOST", ""],
  ["TRACKLET_DATA", ""],
  ["TRACKLET_API_TOKEN", ""],
  ["TRACKLET_ACCESS_TOKEN", ""],
  ["TRACKLET_MAX_EVENT_BYTES", "0"],
  ["TRACKLET_MAX_EVENT_BYTES", "1e5"],
  ["TRACKLET_RATE_LIMIT", "-1"],
  ["DATABASE_URL", "mysql://localhost/x"],
  ["DATABASE_URL", "localhost"],
])("names a variable that is wrong: %s=%s", (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must`));
});

it("does not repeat a password", () => {
  expect(() => readConfig({ DATABASE_URL: "mysql://user:secret@host/x" })).toThrow(/^(?!.*secret)/);
});
