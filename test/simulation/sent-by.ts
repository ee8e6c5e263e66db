/** What one page sends when it acts, whatever its options are. */
import type { Config, Tracker } from "../../src/types.js";
import { inWorld } from "./world.js";

/** What stands behind a mistake in the console. */
export const SEE = ["(data-debug)"];

export type Act = (tracker: Tracker) => unknown;
/** The bodies that are sent when a page acts so, and what it is told, as `input track: params`. */
export const sentBy = async (config: Partial<Config>, act: Act): Promise<{ sent: unknown[]; told: string[] }> => {
  const outcome = { sent: [] as unknown[], told: [] as string[] };
  await inWorld(async (world) => {
    const page = await world.open(config);
    await page.run(() => act(page.tracker));
    await world.clock.advance(60_000);
    outcome.sent = world.sent.map(({ body }) => JSON.parse(body));
    outcome.told = page.problems.map(({ code, detail }) => `${code} ${detail}`);
  });
  return outcome;
};
/** An event as it is sent. */
export const event = (contact_uid: string, event_uid: string, params = {}) => ({ contact_uid, event_uid, params });
export const NOBODY: Partial<Config> = { contactUid: undefined as never };
export const ACME = { accountUid: "acme" };
export const acme = { account_uid: "acme" };
export const URL_A = "https://site.example/a";
export const trackA: Act = (tracker) => tracker.track("a", { n: 1 });
