/** The options, checked once and with their defaults. What is wrong is reported by name; nothing is thrown. */
import type { Config, Problem } from "./types.js";

/** Path of the event endpoint (service interface, section 4, endpoint 6). */
const EVENT_PATH = "/v1/track/event";

/** Bounds of what waits: events, bytes in UTF-8 and age in milliseconds. */
export type Bounds = [count: number, bytes: number, age: number];

export interface Settings {
  name: string;
  /** The one URL of all events; `""` where it cannot be told, and events wait. */
  url: string;
  bounds: Bounds;
  report: (code: Problem["code"], detail: string, body?: string) => void;
  /** Is `value` a non-empty string? If not, the problem is reported under `name`. */
  isText: (name: string, value: unknown) => value is string;
}

export const readConfig = (config: Config): Settings => {
  const report: Settings["report"] = (code, detail, body) => {
    try {
      config.onError?.({ code, detail, event: body ? JSON.parse(body) : undefined });
    } catch {
      // The page's own handler failed: that is the page's to see, not ours to pass on.
    }
  };
  const isText = (name: string, value: unknown): value is string => {
    const isRight = typeof value === "string" && value !== "";
    if (!isRight) report("input", `${name}: expected a non-empty string`);
    return isRight;
  };
  const {
    apiToken,
    trackUrl,
    name = "tracklet",
    maxEvents = 1_000,
    maxBytes = 1_048_576,
    maxAgeMs = 604_800_000,
  } = config;
  return {
    name,
    url:
      isText("apiToken", apiToken) && isText("trackUrl", trackUrl)
        ? `${trackUrl.replace(/\/+$/, "")}${EVENT_PATH}?api_token=${encodeURIComponent(apiToken)}`
        : "",
    bounds: [maxEvents, maxBytes, maxAgeMs],
    report,
    isText,
  };
};
