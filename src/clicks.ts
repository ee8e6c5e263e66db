/** An add-on: tracks clicks and forms by the page's markup. */
import { type ClickOptions, watchClicks } from "./addons/click-listener.js";
import { track } from "./index.js";

export type { ClickOptions };

/**
 * Tracks each click on an element with `data-track="event_uid"`, and each form with it that is submitted. Its other
 * attributes are params: `data-track-plan-name="team"` is `plan_name: "team"`. May come before `init`. On a server it does
 * nothing.
 *
 * Called again, it takes the place of the call before, and of a script tag's.
 *
 * @returns what takes the listeners off again
 */
export const trackClicks = (options: ClickOptions = {}): (() => void) =>
  globalThis.document ? watchClicks(track, options) : () => {};
