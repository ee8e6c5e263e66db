/** The options of this script's one tracker, set once by `configure`. */
import { attempt } from "../shared/attempt.js";
import type { Config } from "../types.js";

/** Path of the event endpoint (the service's interface, `POST /v1/track/event`). */
const EVENT_PATH = "/v1/track/event";

/** Options of a tracker whose name is known. */
export type Named = Config & { name: string };

export let config = {} as Named;
/** The one URL of all events; nothing where it is not known, and events wait. */
export let url: string | undefined;

/** Is a switch on? Attributes are texts, and one without a value is an empty text. */
export const isOn = (value: unknown): boolean => /^(true)?$/.test(`${value}`);

export const configure = (given: Named): void => {
  config = given;
  const { apiToken, trackUrl, eventPath } = given;
  if (!apiToken || !trackUrl) return;
  const address = `${`${trackUrl}`.replace(/\/*$/, "/")}${(eventPath || EVENT_PATH).replace(/^\/+/, "")}?api_token=${encodeURIComponent(apiToken)}`;
  // Against the page's own address, so that no `<base>` sends it elsewhere; `srcdoc` and `blob:` pages have an origin alone.
  url = attempt(() => new URL(address, location.href).href) ?? attempt(() => new URL(address, origin).href);
};
