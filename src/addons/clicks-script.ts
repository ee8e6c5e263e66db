import { watchClicks } from "./clicks.js";
import { track } from "./page.js";

// A tag that runs again takes the place of the one before.
window.trackletClicks?.();
window.trackletClicks = watchClicks(track, { ...document.currentScript?.dataset });
