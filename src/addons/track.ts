import type { Params } from "../types/declared.js";

/** The verb `track`, as the add-ons call it: the names of their events are nobody's declared ones. */
export type Track = (eventUid: string, params: Params) => void;

type Page = { tracklet?: { push(command: unknown[]): unknown } };

/** The verb in the form that works before the tracker's script has loaded, too. */
export const pushTrack: Track = (...args) => {
  (window as Page).tracklet = (window as Page).tracklet || [];
  (window as Page).tracklet!.push(["track", ...args]);
};

/** At `window`: what ends each add-on, wherever it came from. Who comes later takes the place of the one before, so that all counts once. */
export interface Ends {
  trackletClicks?: () => void;
  trackletActive?: () => void;
}

/** Parts of a path that may be a secret: with `@`, as e-mail addresses, or 22 letters and digits in a row, as machines make them. */
const SECRET = /[^/]{0,64}(@|[a-z\d]{22})[^/]*/gi;

/** What may be told of a URL: neither user and password, nor query and fragment, nor secrets in its path. */
export const bareUrl = ({ origin, pathname }: Pick<URL, "origin" | "pathname">): string =>
  origin + pathname.replace(SECRET, "REDACTED");
