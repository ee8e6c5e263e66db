import type { Params } from "../declared.js";

/** The verb `track`, as the add-ons call it: the names of their events are nobody's declared ones. */
export type Track = (eventUid: string, params: Params) => void;
