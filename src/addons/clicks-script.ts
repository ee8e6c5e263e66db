import { watchClicks } from "./clicks.js";
import { track } from "./page.js";

watchClicks(track, { ...document.currentScript?.dataset });
