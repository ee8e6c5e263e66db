/** Calls of the verbs in simulated pages, and what came of them. */
import type { Config, FlushResult } from "../../src/types.js";
import { inWorld, type Page, type Sent, type World } from "../simulation/world.js";

export const MINUTE = 60_000;
/** Answers each request after 20 ms with what the rule says; a status of 0 breaks the connection. */
export const answerBy = (world: World, rule: (sent: Sent) => number, retryAfter?: number): void => {
  world.onRequest = (sent) =>
    void world.clock.add(20, () => (rule(sent) ? sent.answer(rule(sent), retryAfter) : sent.fail()));
};
export const acceptAll = (world: World): void => answerBy(world, () => 200);
/** A world whose service accepts every event. */
export const inHealthyWorld = (test: (world: World) => Promise<void>): Promise<void> =>
  inWorld(async (world) => {
    acceptAll(world);
    await test(world);
  });
/** Lets time pass in steps until something is so, for an hour at most. */
export const until = async (world: World, isSo: () => unknown, stepMs: number): Promise<void> => {
  for (let past = 0; !isSo(); past += stepMs) {
    if (past > 60 * MINUTE) throw new Error("it never comes");
    await world.clock.advance(stepMs);
  }
};
/** The keys of the tracker's rows that begin so. */
export const rowsOf = (world: World, start: string): string[] =>
  Object.keys(world.storage.rows).filter((key) => key.startsWith(`tracklet:${start}`));
/** Stores events of a tab that is no more, tracked so many milliseconds ago; without a contact, nobody was named for them. */
export const leaveBehind = (
  world: World,
  names: string[],
  { age = MINUTE, contact = "ann", tab = "dead" } = {},
): void => {
  for (const [index, name] of names.entries())
    world.storage.rows[`tracklet:event:${tab}:${1_000_000 + index}:${world.clock.wall() - age}`] = JSON.stringify({
      contact_uid: contact || undefined,
      event_uid: name,
      params: {},
    });
};
/** Runs the test once for each status, and tells those that fail. */
export const inWorlds = async (
  statuses: number[],
  test: (world: World, status: number) => Promise<void>,
): Promise<void> => {
  for (const status of statuses)
    await inWorld((world) => test(world, status)).catch((cause) => {
      throw new Error(`status ${status}: ${(cause as Error).message}`, { cause });
    });
};
/** Names of events: e1, e2 and so on. */
export const numbered = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => `e${from + index}`);
export const track = async (page: Page, ...names: string[]): Promise<void> => {
  for (const name of names) await page.track(name);
};
/** Tracks, and closes the page at once. */
export const trackAndLeave = async (page: Page, ...names: string[]): Promise<void> => {
  await track(page, ...names);
  await page.leave();
  page.kill();
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
