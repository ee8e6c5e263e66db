/** The body of an event, as text (the service's interface, `POST /v1/track/event`). */

import type { Params } from "../../declared.js";
import { attempt } from "../../shared/attempt.js";
import type { TrackEvent } from "../../types.js";
import type { Settings } from "../config.js";
import { redact } from "./redact.js";

/** A member nested deeper than this is left out: the service would refuse the event. `params` itself is level 1. */
const MAX_DEPTH = 64;

/** Passes over a `toJSON` that a script of the page has put on every object or array, as old versions of Prototype.js do. */
function unpolluted(this: Params, key: string, written: unknown): unknown {
  const value = this[key] as Params | null | undefined;
  return value?.toJSON === ({} as Params).toJSON || value?.toJSON === ([] as unknown as Params).toJSON
    ? value
    : written;
}

/** `JSON.stringify` of an event. It throws for a cycle, a BigInt, a throwing getter, and for what is nested too deep. */
const write = (event: object): string => {
  // Only where it is needed, because it slows each call down.
  const replacer = "toJSON" in [] ? unpolluted : undefined;
  const text = JSON.stringify(event, replacer);
  // Indented by one, a line that opens the level after the last begins with a space more; strings hold no line feed.
  const isDeep = () => /\n {65}.*[[{][\]}]?,?\n/.test(JSON.stringify(event, replacer, 1));
  if (text.split(/[[{]/).length > MAX_DEPTH && isDeep()) throw text;
  return text;
};

/**
 * The body of an event: its members in one order, and no others.
 *
 * @param report told of each member of `params` that cannot be written and is left out
 * @param params the caller's members, which win over `own`, the tracker's
 */
export const formatEvent = (
  report: Settings["report"],
  { contact_uid, event_uid, params }: TrackEvent,
  own?: Params,
): string => {
  const format = (members: Params): string =>
    write({ contact_uid: contact_uid || undefined, event_uid, params: { ...own, ...members } });
  try {
    return format("toJSON" in params ? JSON.parse(write(params)) : params);
  } catch {
    // One by one, those that can be written are saved.
    const isWritable = (name: string): boolean => {
      const isWritten = !!attempt(() => write({ params: { [name]: params[name] } }));
      if (!isWritten) report("input", `params.${name}`);
      return isWritten;
    };
    const names = attempt(() => Object.keys(params)) ?? [];
    if (!names[0]) report("input", "params");
    return format(Object.fromEntries(names.filter(isWritable).map((name) => [name, params[name]])));
  }
};

/** Puts the contact in front of a body, as its first member. Gives nothing where others have written what is too deep. */
export const address = (body: string, contact: string): string | undefined =>
  attempt(() => write({ contact_uid: contact, ...JSON.parse(body) }));

/** Is the contact there? If not, the name of the event is the first member. */
export const isAddressed = (body: string): boolean => body[2] === "c";

/**
 * Takes the secrets out of a page view's URL, and lets the page's hooks change the event or drop it. A hook that throws, or
 * gives back what is no event, changes nothing.
 *
 * @returns the body, or nothing where it is dropped
 */
export const revise = (body: string, { visitUrl, beforeSend, report, isText }: Settings): string => {
  const event: TrackEvent = JSON.parse(body);
  const { params } = event;
  const { visit_url } = params;
  let revised = body;
  const run = (name: string, hook: () => void): void => {
    try {
      hook();
    } catch (error) {
      report("input", `${name}: ${(error as Error)?.message}`);
    }
  };
  if (event.event_uid === "pageview" && typeof visit_url === "string")
    run("visitUrl", () => {
      const redacted = redact(visit_url);
      params.visit_url = redacted;
      revised = formatEvent(report, event);
      if (visitUrl) {
        const url = new URL(redacted, location.href);
        const answer = visitUrl(url);
        params.visit_url = `${answer ?? url}`;
        revised = answer === null || answer === false ? "" : formatEvent(report, event);
      }
    });
  if (revised && beforeSend)
    run("beforeSend", () => {
      const answer = beforeSend(event);
      // A hook that gives nothing back has changed the event in place, or left it alone.
      const next = answer ?? event;
      if (answer === null || answer === false) revised = "";
      else if (isText("beforeSend: event_uid", (next as TrackEvent).event_uid))
        revised = formatEvent(report, next as TrackEvent);
    });
  return revised;
};
