import type { Track } from "./track.js";

type Page = { tracklet?: unknown[] };

/** The verb in the form that works before the tracker's script has loaded, too. */
export const track: Track = (...args) => {
  (window as Page).tracklet = (window as Page).tracklet || [];
  (window as Page).tracklet!.push(["track", ...args]);
};
