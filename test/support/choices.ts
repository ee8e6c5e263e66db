/** Calls and rows of pages whose visitor has yet to choose what may be stored and sent, or has chosen. */
import type { Config, Tracker } from "../../src/types.js";
import type { Page, World } from "../simulation/world.js";
import { inHealthyWorld, MINUTE } from "./verbs.js";

export const inPage = (config: Partial<Config>, test: (page: Page, world: World) => Promise<void>): Promise<void> =>
  inHealthyWorld(async (world) => test(await world.open(config), world));
export const call = (page: Page, verb: keyof Tracker, ...args: unknown[]): Promise<unknown> =>
  page.run(() => (page.tracker[verb] as (...given: unknown[]) => unknown)(...args));
/** What was sent in the end, as `contact event`. */
export const sent = async (world: World): Promise<string[]> => {
  await world.clock.advance(MINUTE);
  return world.sent.map(({ body, name }) => `${JSON.parse(body).contact_uid} ${name}`);
};
export const keys = (world: World): string[] => Object.keys(world.storage.rows).sort();
export const CHOICE = "tracklet:consent";
export const PENDING: Partial<Config> = { consent: "pending" };
