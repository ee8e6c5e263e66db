import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, it } from "vitest";
import { DEMO_TOKENS } from "../../../src/service/config/defaults.mjs";
import { addressesOf, OPTIONS, type Option, readConfig } from "../../../src/service/config/options.js";

it("has a table of its options in the README", async () => {
  const readme = fileURLToPath(new URL("../../../src/service/README.md", import.meta.url));
  const [now, former] = [false, true].map((isFormer) =>
    Object.values<Option>(OPTIONS).filter((one) => "former" in one === isFormer),
  ) as [Option[], Option[]];
  const deploy = await readFile(fileURLToPath(new URL("../../../docs/service/deploy.md", import.meta.url)), "utf8");
  for (const { variable, former: command } of former)
    expect(deploy).toMatch(RegExp(`^\\| \`${variable}\` +\\| \`${command}\``, "m"));
  const rows = now.map(({ variable, default: value, description }) => [
    `\`${variable}\``,
    value === undefined || JSON.stringify(value).length === 2
      ? "none"
      : String(value).replace(/^.*[/\\]\.data$|^\/var\/lib\/tracklet$/, ".data"),
    description,
  ]);
  const table = [["Variable", "Default", "Meaning"], ["", "", ""], ...rows];
  const width = (column: number) => Math.max(...table.map((cells) => cells[column]!.length));
  const lines = table
    .map((cells, row) => `| ${cells.map((cell, at) => cell.padEnd(width(at), row === 1 ? "-" : " ")).join(" | ")} |\n`)
    .join("");
  const text = await readFile(readme, "utf8");
  // `npm run docs` writes it anew.
  await expect(text.replace(/(\|.*\|\n)+/, () => lines)).toMatchFileSnapshot(readme);
});

it("has defaults, and no token is among them", () => {
  const { rateLimit, dataFolder, ...others } = readConfig({});
  expect(rateLimit).toBeGreaterThan(0);
  expect(dataFolder).toMatch(process.getuid?.() === 0 ? /^\/var\/lib\/tracklet$/ : /[\\/]\.data$/);
  expect(others).toEqual({
    port: 4100,
    host: "127.0.0.1",
    processes: 1,
    demo: "off",
    logLevel: "info",
    gpc: "ignore",
    identity: "off",
    workspaces: [],
    trustProxy: [],
    watchedEvents: [],
    maxEventBytes: 262_144,
    addressQuota: 256,
    tokenQuota: 20_480,
    addressRecords: 20_000,
  });
});

it.each<[variable: string, text: string, member: string, value: unknown]>([
  ["TRACKLET_API_TOKEN", "ä-☃-of-sixteen-characters", "apiToken", "ä-☃-of-sixteen-characters"],
  ["TRACKLET_ACCESS_TOKEN", "b-._~+/and-twelve==,the-old-access-token", "accessToken", undefined],
  ["TRACKLET_SERVER_TOKEN", "server-token-of-ours", "serverToken", undefined],
  [
    "TRACKLET_IDENTITY_SECRET",
    "a-secret-of-32-characters-or-more,the-old-secret-of-32-characters-o",
    "identitySecret",
    undefined,
  ],
  [
    "TRACKLET_WORKSPACES",
    '{"shop-2":{"api_token":"c-☃-of-sixteen-characters","access_token":"d-of-sixteen-characters"}}',
    "workspaces",
    [{ name: "shop-2", apiToken: "c-☃-of-sixteen-characters", accessToken: "d-of-sixteen-characters" }],
  ] as [string, string, string, unknown],
  ["TRACKLET_RETENTION_DAYS", "90", "retentionDays", 90],
  ["TRACKLET_WATCHED_EVENTS", "signed_up,paid", "watchedEvents", ["signed_up", "paid"]],
  ["TRACKLET_PUBLIC_URL", "https://track.example.com/", "publicUrl", "https://track.example.com"],
  ["TRACKLET_RATE_LIMIT", "0", "rateLimit", 0],
  ["TRACKLET_ADDRESS_RECORDS", "9", "addressRecords", 9],
])("is read from the environment, each as its kind is: %s=%s", (variable, text, member, value = text) =>
  expect(readConfig({ [variable]: text })).toEqual({ ...readConfig({}), [member]: value }),
);

const shop = (api_token: string, access_token = "b", name = "a") =>
  `{"${name}":${JSON.stringify({ api_token, access_token })}}`;
const WRONG: Record<string, string[]> = {
  TRACKLET_SERVICE_PORT: ["65536", "http"],
  TRACKLET_SERVICE_HOST: ["", "http://localhost"],
  TRACKLET_DATA: [""],
  TRACKLET_API_TOKEN: ["", "a:b", "a\n", "a,b,c", "a,", '"in-quotes"', "a-blank "],
  // One text for two things, too.
  TRACKLET_ACCESS_TOKEN: ["", "a b", "ä", "demo-api-token", "new,demo-api-token"],
  TRACKLET_METRICS_TOKEN: ["", "a b", "demo-api-token"],
  TRACKLET_WORKSPACES: [
    shop("demo-access-token"),
    shop("demo-api-token"),
    shop("a:b"),
    shop("a", "b c"),
    shop("a", "b", "Shop"),
    shop("a", "b", "default"),
    "",
    "[]",
    '{"shop":null}',
    ...["b", "x"].map((twice) => shop("x").replace(/}$/, `,${shop(twice, "d", "c").slice(1)}`)),
  ],
  TRACKLET_RETENTION_DAYS: ["0", ""],
  TRACKLET_DEMO: ["yes"],
  TRACKLET_TRUST_PROXY: ["", "true", "10.0.0.0/33", "0.0.0.0/0", "loopback,proxy.example"],
  TRACKLET_PUBLIC_URL: ["", "track.example.com", "https://user@track.example.com", "https://track.example.com/?a"],
  TRACKLET_MAX_EVENT_BYTES: ["0", "1e5"],
  TRACKLET_RATE_LIMIT: ["-1"],
  TRACKLET_PROCESSES: ["0", "all"],
  TRACKLET_LOG_LEVEL: ["verbose"],
  // Names that are misspelt.
  TRACKLET_ACESS_TOKEN: ["a-token"],
  DATABSE_URL: ["postgresql://host/x"],
  TRACKLT_DATA: ["/data"],
  DATABASE_URL: [
    "",
    "mysql://localhost/x",
    "localhost",
    "postgresql://user@one:5432,/x",
    "postgresql://user@one:5432,two:port/x",
  ],
};
it.each(Object.entries(WRONG).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  "names a variable that is wrong: %s=%s",
  (name, value) => {
    expect(() => readConfig({ TRACKLET_DEMO: "on", [name]: value })).toThrow(new RegExp(`^${name} must`));
  },
);

it("takes several processes over a server alone", () => {
  const DATABASE_URL = "postgresql://user@host/database";
  expect(readConfig({ DATABASE_URL, TRACKLET_PROCESSES: "auto" }).processes).toBe(availableParallelism());
  for (const TRACKLET_PROCESSES of ["2", "auto"])
    expect(() => readConfig({ TRACKLET_PROCESSES })).toThrow(/^TRACKLET_PROCESSES must be 1 without DATABASE_URL/);
});

it("repeats no password, and says how one is written that would be taken for something else", () => {
  const refused = (name: string, value: string) =>
    expect(() => readConfig({ [name]: value }), value).toThrow(/^(?!.*secret)/s);
  for (const odd of ["p ", "p@", "12/", "12?", "12#", "100%", "%zz"]) {
    refused("DATABASE_URL", `postgresql://user:${odd}secret@host/x`);
    expect(() => readConfig({ DATABASE_URL: `postgresql://user:${odd}secret@host/x` })).toThrow(/with @ as %40/);
  }
  refused("DATABASE_URL", "mysql://user:secret@host/x");
  refused("DATABASE_URL", "host=localhost password=secret");
  refused("TRACKLET_PUBLIC_URL", "https://user:secret@host/x");
  const DATABASE_URL = "postgresql://user:p%40%2f%3f%23%25:[$&'()*+;=!~]@host/x";
  expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
  expect(new pg.Client(addressesOf(DATABASE_URL)[0])).toMatchObject({ host: "host", password: "p@/?#%:[$&'()*+;=!~]" });
});

it.each([
  ["postgresql://u:p%40s,s@one:5433,[::1]:5434,three/x?sslmode=disable", ["one:5433", "[::1]:5434", "three"]],
  ["postgres://one,two/x?sslmode=disable", ["one", "two"]],
  ["postgresql:///x?host=/run/postgresql", [""]],
])("takes several hosts as libpq does: %s", (DATABASE_URL, hosts) => {
  expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
  const [before, behind] = [/^[^@]*@|^\w+:\/\//, /\/x\?.*$/].map((part) => part.exec(DATABASE_URL)![0]);
  expect(addressesOf(DATABASE_URL)).toEqual(hosts.map((host) => `${before}${host}${behind}`));
});

const OWN = { TRACKLET_API_TOKEN: "own-api-token-16", TRACKLET_ACCESS_TOKEN: "own-access-token" };

it("has tokens of the operator's own, long enough, or is for trying out", () => {
  const examples = "YOUR_API_TOKEN_HERE changeme-changeme aaaaaaaaaaaaaaaa my-secret-token-of-16 replace-this-token";
  for (const one of [...examples.split(" "), "TRACKLET_API_TOKEN"])
    expect(() => readConfig({ ...OWN, TRACKLET_API_TOKEN: one })).toThrow(
      /^TRACKLET_API_TOKEN must be a secret of your own, not what stands in an example$/,
    );
  for (const [name, value] of [
    ["TRACKLET_METRICS_TOKEN", "TRACKLET_METRICS_TOKEN"],
    ["TRACKLET_IDENTITY_SECRET", "your-identity-secret-of-32-characters"],
  ] as const)
    expect(() => readConfig({ ...OWN, [name]: value })).toThrow(`${name} must be a secret of your own`);
  expect(() => readConfig({ ...OWN, TRACKLET_ACCESS_TOKEN: "own-access-toke" })).toThrow(
    /^TRACKLET_ACCESS_TOKEN must have at least 16/,
  );
  expect(readConfig(OWN).apiToken).toBe(OWN.TRACKLET_API_TOKEN);
  expect(readConfig({ TRACKLET_DEMO: "on" })).toMatchObject(DEMO_TOKENS);
  expect(readConfig({ TRACKLET_DEMO: "on", ...OWN }).apiToken).toBe(OWN.TRACKLET_API_TOKEN);
});

it.each<Record<string, string>>([
  ...["127.0.0.1", "127.8.9.10", "::1", "localhost", "::ffff:127.0.0.1"].map((host) => ({
    TRACKLET_SERVICE_HOST: host,
  })),
  ...["http://127.0.0.1:7200", "http://localhost"].map((url) => ({ TRACKLET_PUBLIC_URL: url })),
])("may be for trying out at %j", (environment) =>
  expect(readConfig({ ...environment, TRACKLET_DEMO: "on" }).demo).toBe("on"),
);

it.each<Record<string, string>>([
  ...["0.0.0.0", "::", "localhost.example"].map((host) => ({ TRACKLET_SERVICE_HOST: host })),
  { TRACKLET_TRUST_PROXY: "loopback", TRACKLET_PUBLIC_URL: "https://track.example.com" },
  { TRACKLET_PUBLIC_URL: "https://track.example.com" },
])("is not for trying out at addresses that others reach, or behind a proxy: %j", (environment) =>
  expect(() => readConfig({ ...environment, TRACKLET_DEMO: "on" })).toThrow(/^TRACKLET_DEMO must be off/),
);

it("needs the address that clients use of a proxy, and the secret of a proof", () => {
  const TRACKLET_TRUST_PROXY = "loopback, 10.0.0.0/8,fd00::/8,192.0.2.7";
  expect(() => readConfig({ ...OWN, TRACKLET_TRUST_PROXY })).toThrow(/^TRACKLET_PUBLIC_URL must be set/);
  expect(() => readConfig({ ...OWN, TRACKLET_IDENTITY: "mark" })).toThrow(/^TRACKLET_IDENTITY_SECRET must be set/);
  const secret = { TRACKLET_IDENTITY: "mark", TRACKLET_IDENTITY_SECRET: "a-secret-of-32-characters-at-least" };
  const proxied = { TRACKLET_TRUST_PROXY, TRACKLET_PUBLIC_URL: "https://track.example.com" };
  expect(readConfig({ ...OWN, ...proxied, ...secret })).toMatchObject({
    identity: "mark",
    trustProxy: ["loopback", "10.0.0.0/8", "fd00::/8", "192.0.2.7"],
  });
});
