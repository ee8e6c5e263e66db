/** A strict app compiles against the package by the lowest TypeScript that docs/install.md names, and by the newest. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/launch.js";
import { readPage } from "../support/readme.js";

const APP = `
import { init, identify, track, flush, type Config, type Problem } from "tracklet";
import { createReader } from "tracklet/read";
import { sendEvent } from "tracklet/send";
import { createTracker } from "tracklet/instance";
import { recordEvents } from "tracklet/test";
import { trackClicks } from "tracklet/clicks";
import { trackActive } from "tracklet/active";
import "tracklet/tracklet.iife.js";
import "tracklet/window";

declare module "tracklet" {
  interface Events { signup: { plan: "free" | "team" }; logout: undefined; sold: { event_id: string } }
  interface Settings { stamp: false }
}

// What a setting may lack is handed on as it is.
const setting = (name: string): string | undefined => (name ? name : undefined);
const onError = (problem: Problem): void =>
  console.log(problem.code === "evicted" ? problem.event.event_uid : problem.detail);
const config: Config = {
  apiToken: "t", trackUrl: "/", name: setting("shop"), contactUid: setting(""), params: undefined, onError,
  debug: undefined, stamp: false,
  // @ts-expect-error no such plan
  beforeSend: (event) => event.event_uid !== "signup" || event.params.plan !== "gold" ? event : null,
};
init(config);
identify("c", setting("a"));
track("signup", { plan: "team", account_uid: setting("acme") });
track("logout");
track("sold", { event_id: "T-42" });
// @ts-expect-error its params are required
track("signup");
createTracker({ ...config, name: "own" }).track("logout");
interface Shop { bought: { total: number } }
const shop = createTracker<Shop>({ apiToken: "t", trackUrl: "/", name: "shop", beforeSend: ({ event_uid }) => event_uid === "bought" && null });
shop.track("bought", { total: 1 });
// @ts-expect-error another app's event
shop.track("logout");
// @ts-expect-error without a name it would be the page's
createTracker(config);
void flush({ timeoutMs: undefined });
(window.tracklet ||= []).push(["track", "signup"]);
window.tracklet.track?.("signup", { plan: "team" });
// @ts-expect-error no such plan
window.tracklet.track?.("signup", { plan: "gold" });
// @ts-expect-error until the script has loaded there is no verb
window.tracklet.track("logout");
trackClicks({ outbound: undefined });
trackActive();
const plans: string[] = recordEvents({ contactUid: "c" }).all("signup").map(({ params }) => params.plan);
void sendEvent({ trackUrl: "https://t.example", apiToken: "t", stamp: undefined }, { contact_uid: "c", event_uid: "logout" });
// @ts-expect-error no such event
void sendEvent({ trackUrl: "https://t.example", apiToken: "t" }, { contact_uid: "c", event_uid: "sign_up" });
void createReader({ baseUrl: "https://t.example", accessToken: plans[0] ?? "" }).accounts.get("id");
`;

const OPTIONS = {
  target: "es2020",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2020", "dom", "dom.iterable"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: [],
};

const PARAMS = (await readFile(join(ROOT, "test/types/params.test-d.ts"), "utf8")).replace(
  "../../src/index.js",
  "tracklet",
);

it.each(
  ["typescript-lowest/lib/tsc.js", "@typescript/native/bin/tsc"].flatMap((compiler) => [
    { compiler, what: "with declared events", app: APP },
    { compiler, what: "with any params that JSON can hold", app: PARAMS },
  ]),
)("compiles $what by $compiler", async ({ compiler, app }) => {
  // Within the package: there its own name is that of its entries.
  const folder = await mkdtemp(join(ROOT, "test/package/.app-"));
  try {
    await writeFile(join(folder, "app.ts"), app);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, files: ["app.ts"] }));
    const tsc = join(ROOT, "node_modules", compiler);
    const run = promisify(execFile)(process.execPath, [tsc, "-p", folder]);
    expect(
      await run.then(
        () => "",
        ({ stdout }) => stdout,
      ),
    ).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("the lowest TypeScript is the one that is named", async () => {
  const { version } = JSON.parse(await readPage("node_modules/typescript-lowest/package.json")) as { version: string };
  expect(await readPage("docs/install.md")).toContain(
    `TypeScript ${version.split(".").slice(0, 2).join(".")} or newer`,
  );
});
