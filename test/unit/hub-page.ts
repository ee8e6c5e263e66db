/** A page in which no tracker has started, and what is sent when somebody acts there, in whatever way. */
import type { Command, Config, Hub, Problem } from "../../src/types.js";
import { readOpening } from "../simulation/read-words.js";
import { inWorld, type Page, type World } from "../simulation/world.js";

interface Place {
  page: Page;
  world: World;
  globals: Record<string, unknown>;
  hub: (name?: string) => Hub;
  /** The hub of another copy of the script. */
  other: (name?: string) => Hub;
  /** What an app imports. */
  app: typeof import("../../src/index.js");
}
/** `hub track one; array track two; app init as bob`: by a copy of the script, in the array that waits for it, by import. */
export type Act = string | ((place: Place) => unknown);

export const problems: Problem[] = [];
export const config = (more: Partial<Config> = {}): Config => ({
  apiToken: "token",
  trackUrl: "https://track.example",
  contactUid: "ann",
  pageviews: "off",
  onError: (problem) => problems.push(problem),
  ...more,
});

const take = ({ app, globals, hub, other }: Place, step: string): unknown => {
  const [who, verb, ...rest] = step.split(" ") as [string, ...Command];
  const given = verb === "init" ? [config(readOpening(rest.join(" ")))] : rest;
  if (who === "array") return (globals.tracklet as Command[]).push([verb, ...given] as Command);
  const target = who === "app" ? app : who === "hub" ? hub() : other();
  return (target as unknown as Record<string, (...args: unknown[]) => unknown>)[verb]!(...given);
};

/** Acts in a page where no tracker has started, and tells what was sent in the end: `one bob:two three@another-token`. */
export const sentIn = async (act: Act): Promise<string> => {
  let sent: string[] = [];
  await inWorld(async (world) => {
    const page = await world.open({ name: "unused" });
    const load = async () => (await page.load<{ openHub: Place["hub"] }>("src/browser/global.ts")).openHub;
    const app = await page.load<Place["app"]>("src/index.ts");
    const place = { page, world, globals: page.window, hub: await load(), other: await load(), app };
    await page.run(() => (typeof act === "string" ? act.split("; ").map((step) => take(place, step)) : act(place)));
    await world.clock.advance(1_000);
    sent = world.sent.map(({ body, name, url }) => {
      const [contact, token] = [JSON.parse(body).contact_uid, url.split("=")[1]];
      return `${contact === "ann" ? "" : `${contact}:`}${name}${token === "token" ? "" : `@${token}`}`;
    });
  });
  return sent.join(" ");
};
/** Calls as they wait in an array. */
export const calls = (text: string): Command[] => text.split(", ").map((call) => call.split(" ") as Command);
