/** The body of an event, as text (service interface, section 2, event). */
import type { Settings } from "./config.js";
import type { Params } from "./declared.js";
import { currentUrl } from "./page.js";
import { redact } from "./redact.js";
import type { TrackEvent } from "./types.js";

/** A member nested deeper than this is left out: the service would refuse the event. `params` itself is level 1. */
const MAX_DEPTH = 64;

/** Passes over a `toJSON` that a script of the page has put on every object or array, as old versions of Prototype.js do. */
function unpolluted(this: Params, key: string, written: unknown): unknown {
  const value = this[key] as Params | null | undefined;
  return value?.toJSON === ({} as Params).toJSON || value?.toJSON === ([] as unknown as Params).toJSON
    ? value
    : written;
}

/**
 * `JSON.stringify` of an object, without the braces. It throws for a cycle, a BigInt, a throwing getter, for what is nested
 * too deep, and for what is no object.
 */
const writeMembers = (object: Params): string => {
  // Only where it is needed, because it slows each call down.
  const replacer = "toJSON" in [] ? unpolluted : undefined;
  const text = JSON.stringify(object, replacer);
  // Indented by one, a line that opens a 65th level begins with 64 spaces; strings hold no line feed.
  const isDeep = () => /\n {64}.*[[{][\]}]?,?\n/.test(JSON.stringify(object, replacer, 1));
  if (text[0] !== "{" || (text.split(/[[{]/).length > MAX_DEPTH && isDeep())) throw text;
  return text.slice(1, -1);
};

/**
 * The body without its contact.
 *
 * @param params the caller's members, which win over `own`, the tracker's
 * @param omit told of each member that cannot be written and is left out
 */
export const formatEvent = (eventUid: string, params: Params, own: Params, omit: (member: string) => void): string => {
  let names: string[] = [];
  let members: string[];
  try {
    names = Object.keys(params);
    members = [writeMembers(params)];
  } catch {
    // One by one, those that can be written are saved.
    if (!names[0]) omit("params");
    members = names.map((name) => {
      try {
        return writeMembers({ [name]: params[name] });
      } catch {
        omit(name);
        return "";
      }
    });
  }
  for (const name of names) delete own[name];
  return `{"event_uid":${JSON.stringify(eventUid)},"params":{${[writeMembers(own), ...members].filter(Boolean)}}}`;
};

/** Puts the contact, if there is one, in front of a body, as its first member. */
export const address = (body: string, contact?: string): string =>
  contact ? `{"contact_uid":${JSON.stringify(contact)},${body.slice(1)}` : body;

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
  let revised = body;
  const write = (next: TrackEvent): void => {
    revised = `{${writeMembers(next as unknown as Params)}}`;
  };
  const attempt = (hook: string, run: () => void): void => {
    try {
      run();
    } catch (error) {
      report("input", `${hook}: ${(error as Error)?.message}`);
    }
  };
  const { visit_url } = params;
  if (event.event_uid === "pageview" && typeof visit_url === "string")
    attempt("visitUrl", () => {
      const redacted = redact(visit_url);
      params.visit_url = redacted;
      write(event);
      if (!visitUrl) return;
      const url = visitUrl(new URL(redacted, currentUrl()));
      params.visit_url = `${url}`;
      if (url) write(event);
      else revised = "";
    });
  if (revised && beforeSend)
    attempt("beforeSend", () => {
      const answer = beforeSend(event);
      // A hook that gives nothing back has changed the event in place, or left it alone.
      const next = answer ?? event;
      if (answer === null || answer === false) revised = "";
      else if (isText("beforeSend: event_uid", (next as TrackEvent).event_uid)) write(next as TrackEvent);
    });
  return revised;
};
