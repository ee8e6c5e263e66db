/** The page's hooks may change an event before it is stored, or drop it. One that throws changes nothing. */
import type { TrackEvent } from "../../types.js";
import { config } from "../config.js";
import { log, report } from "../reporting.js";
import { format } from "./event.js";
import { redact } from "./redact.js";

/** @returns what `run` gives, `given` where that is nothing or an error, and nothing where it says no */
const ask = <T>(name: string, given: T, run: () => T | null | false | undefined): T | undefined => {
  try {
    const answer = run();
    if (answer !== null && answer !== false) return answer ?? given;
    log("dropped", name);
    return undefined;
  } catch (error) {
    report("input", `${name}: ${(error as Error)?.message}`);
    return given;
  }
};

/** The URL of a page view, without its secrets; nothing where `visitUrl` drops the view. */
export const reviseUrl = (given: string): string | undefined => {
  const redacted = redact(given);
  return ask("visitUrl", redacted, () => {
    if (!config.visitUrl) return undefined;
    const url = new URL(redacted, location.href);
    const answer = config.visitUrl(url);
    return answer === null || answer === false ? answer : `${answer ?? url}`;
  });
};

/** The body of an event; nothing where `beforeSend` drops it. */
export const revise = (event: TrackEvent): string | undefined => {
  const body = format(event);
  return ask("beforeSend", body, () => {
    if (!config.beforeSend) return undefined;
    const copy: TrackEvent = JSON.parse(body);
    const answer = config.beforeSend(copy);
    if (answer === null || answer === false) return answer;
    const next = answer ?? copy;
    if (!next.event_uid) throw new TypeError("expected an event with event_uid");
    return format(next);
  });
};
