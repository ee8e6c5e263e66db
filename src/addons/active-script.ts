import { watchActive } from "./active.js";
import { track } from "./page.js";

watchActive(track);
