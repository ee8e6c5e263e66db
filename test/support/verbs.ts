/** Calls of the verbs in simulated pages, and what came of them. */
import type { Config, FlushResult } from "../../src/types.js";
import type { Page, World } from "../simulation/world.js";

export const MINUTE = 60_000;
export const acceptAll = (world: World): void => {
  world.onRequest = (sent) => void world.clock.add(20, () => sent.answer(200));
};
export const anonymous = { contactUid: undefined } as unknown as Partial<Config>;
/** The bodies that were sent. */
export const bodies = async (world: World): Promise<object[]> => {
  await world.clock.advance(MINUTE);
  return world.sent.map(({ body }) => JSON.parse(body));
};
export const identify = (page: Page, contact: string, account?: string): Promise<void> =>
  page.run(() => page.tracker.identify(contact, account));
export const reset = (page: Page): Promise<void> => page.run(() => page.tracker.reset());
export const flush = async (world: World, page: Page, timeoutMs = 5_000): Promise<FlushResult | undefined> => {
  let result: FlushResult | undefined;
  await page.run(() => void page.tracker.flush({ timeoutMs }).then((value) => (result = value)));
  await world.clock.advance(timeoutMs + 100);
  return result;
};
