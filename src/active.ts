/** An add-on: tracks how long somebody was at a page. */
import { watchActive } from "./addons/active-time.js";
import { track } from "./index.js";

/**
 * Tracks `page_active` when a view ends, or its page is hidden or left. `params.active_time` are the seconds with the page
 * visible and a sign of life in the last 30 s (pointer, key, wheel, scroll, touch), `params.visit_url` is the page's URL
 * without query and fragment. May come before `init`. On a server it does nothing.
 *
 * Called again, it takes the place of the call before, and of a script tag's.
 *
 * @returns what takes the listeners off again, and tracks what was counted until then
 */
export const trackActive = (): (() => void) => (globalThis.document ? watchActive(track) : () => {});
