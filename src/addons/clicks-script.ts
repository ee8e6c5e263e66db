import { watchClicks } from "./click-listener.js";
import { pushTrack } from "./track.js";

watchClicks(pushTrack, { ...document.currentScript?.dataset });
