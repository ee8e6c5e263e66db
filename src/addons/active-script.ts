import { watchActive } from "./active-time.js";
import { pushTrack } from "./track.js";

watchActive(pushTrack);
