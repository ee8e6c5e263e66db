/**
 * `tracklet/window`: types the global of the script tag, `window.tracklet`, for an app that asks for it
 * (`import "tracklet/window"`). It does nothing. A global of another name is declared in the same way.
 */
import type { Hub } from "./types.js";

/** What the page finds: `push` at any time, the verbs once the script has loaded. */
export type Global = Pick<Hub, "push"> & Partial<Hub>;

declare global {
  interface Window {
    /** Absent until somebody has made it: `(window.tracklet ||= []).push(["track", "signup"])`. */
    tracklet?: Global;
  }
}
