/** What a page sends when it acts so, and what it is told of. */
import type { Config, Tracker } from "../../src/types.js";
import { inWorld, type Page, type World } from "./world.js";

export interface Outcome {
  /** The bodies. */
  sent: unknown[];
  /** As `input track: params`. */
  told: string[];
}

/** Answers each request with this status, after 20 ms; 0 breaks the connection. */
export const answerAll = (world: World, status = 200): void => {
  world.onRequest = (sent) => void world.clock.add(20, () => (status ? sent.answer(status) : sent.fail()));
};

export const sentBy = async (
  config: Partial<Config>,
  act: (tracker: Tracker, page: Page) => unknown,
): Promise<Outcome> => {
  let outcome: Outcome | undefined;
  await inWorld(async (world) => {
    answerAll(world);
    const page = await world.open(config);
    await page.run(() => act(page.tracker, page));
    await world.clock.advance(60_000);
    outcome = {
      sent: world.sent.map(({ body }) => JSON.parse(body)),
      told: page.problems.map(({ code, detail }) => `${code} ${detail}`),
    };
  });
  return outcome!;
};

/** An event as it is sent. */
export const event = (contact_uid: string, event_uid: string, params: object = {}) => ({
  contact_uid,
  event_uid,
  params,
});
export const NOBODY: Partial<Config> = { contactUid: undefined as never };
