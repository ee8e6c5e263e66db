import type { Params } from "../types/declared.js";

/** The verb `track`, as the add-ons call it: the names of their events are nobody's declared ones. */
export type Track = (eventUid: string, params: Params) => void;

/** At `window`: what ends each add-on, wherever it came from. Who comes later takes the place of the one before, so that all counts once. */
export interface Ends {
  trackletClicks?: () => void;
  trackletActive?: () => void;
}
