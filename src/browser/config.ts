/** The options, checked once and with their defaults. What is wrong is reported by name; nothing is thrown. */
import { attempt } from "../shared/attempt.js";
import type { Config, DebugListener, Problem } from "../types.js";

/** Path of the event endpoint (the service's interface, `POST /v1/track/event`). */
const EVENT_PATH = "/v1/track/event";

/** Bounds of what waits: events, bytes in UTF-8 and age in milliseconds. */
export type Bounds = [count: number, bytes: number, age: number];

/** Options of a tracker whose name is known. */
export type Named = Config & { name: string };

export interface Settings extends Named {
  /** The one URL of all events; `""` where it cannot be told, and events wait. */
  url: string;
  bounds: Bounds;
  report: (code: Problem["code"], detail: string, body?: string) => void;
  /** Tells of a decision whoever listens. */
  log: DebugListener;
  listen: (listener: DebugListener) => void;
  /** Is `value` a non-empty string? If not, its name is reported. */
  isText: (name: string, value: unknown) => value is string;
}

/** Attributes are texts, and one without a value is an empty one. */
const isOn = (value: unknown): boolean => /^(true)?$/.test(`${value}`);

export const readConfig = (config: Named): Settings => {
  let listener: DebugListener | undefined;
  let isTelling = false;
  // Where a function of the page fails, that is the page's to see, and not ours to pass on.
  const log: DebugListener = (code, detail) => attempt(() => listener?.(code, detail));
  const report: Settings["report"] = (code, detail, body) => {
    log(code, detail);
    // A handler that tracks may cause the next problem, and so on without end.
    if (isTelling) return;
    isTelling = true;
    attempt(() => config.onError?.({ code, detail, event: body ? JSON.parse(body) : undefined }));
    isTelling = false;
  };
  const expect = (name: string, isRight: boolean): boolean => {
    if (!isRight) report("input", name);
    return isRight;
  };
  const isText = (name: string, value: unknown): value is string =>
    expect(name, typeof value === "string" && value !== "");
  const number = (name: "maxEvents" | "maxBytes" | "maxAgeMs", fallback: number): number => {
    const value = config[name] ?? fallback;
    return expect(name, value > 0) ? Number(value) : fallback;
  };
  const { name, apiToken, trackUrl, eventPath } = config;
  if (isOn(config.debug)) listener = (...line) => console.debug(name, ...line);
  const canSend = isText("apiToken", apiToken) && isText("trackUrl", trackUrl);
  // The one mistake that is told unasked: nothing would ever arrive, and nobody know where to look.
  if (!canSend) console.warn(name, "no apiToken, trackUrl");
  return {
    ...config,
    stamp: isOn(config.stamp),
    consent:
      isOn(config.respectGpc) && (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl
        ? "denied"
        : config.consent,
    url: canSend
      ? `${trackUrl.replace(/\/*$/, "/")}${(eventPath || EVENT_PATH).replace(/^\/+/, "")}?api_token=${encodeURIComponent(apiToken)}`
      : "",
    bounds: [number("maxEvents", 1_000), number("maxBytes", 1_048_576), number("maxAgeMs", 604_800_000)],
    report,
    log,
    listen: (next) => {
      listener = next;
    },
    isText,
  };
};
