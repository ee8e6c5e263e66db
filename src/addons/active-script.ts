import { watchActive } from "./active.js";
import { track } from "./page.js";

// A tag that runs again takes the place of the one before.
window.trackletActive?.();
window.trackletActive = watchActive(track);
