/** Events declared for the whole app, as the README says: the verbs that are imported check them. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { objectionsTo } from "../support/compile.js";
import { ROOT } from "../support/launch.js";
import { readmeBlocks } from "../support/readme.js";

const [EXAMPLE] = await readmeBlocks("In an app", "ts");

const RIGHT = [
  'track("signup", { plan: "team", seats: 3 });',
  'track("signup", { plan: "free", account_uid: "acme" });',
  'track("logout");',
  '(window as unknown as { tracklet: Hub }).tracklet.track("logout");',
];
const WRONG = [
  'track("sign_up", { plan: "team" });',
  'track("signup");',
  'track("signup", { plan: "gold" });',
  'track("signup", { plan: "team", colour: "red" });',
  'track("logout", { plan: "team" });',
  '(window as unknown as { tracklet: Hub }).tracklet.track("sign_up");',
];

it("the README's declaration lets through what it allows, and nothing else", () => {
  const text = `import { type Hub, track } from "tracklet";\n${EXAMPLE}\n${[...RIGHT, ...WRONG].join("\n")}`;
  const objections = objectionsTo(new Map([[join(ROOT, "test/app.ts"), text]]), { strict: true });
  expect(objections.map(({ line }) => line)).toEqual(WRONG);
});
