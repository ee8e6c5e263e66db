/** What `sendEvent` and `sendEvents` have in common: where events go, and what is sent of one. */

import { uuid } from "../shared/uuid.js";
import type { EventName, Events, ParamsObject, TrackArguments } from "../types/declared.js";
import { checkReach, type Reach } from "./http/reach.js";
import { check, checkAddress, checkJson, isObject, isText, uidText } from "./http/validate.js";

/** Where events go, and who sends them. */
export interface SendConfig extends Reach {
  /** Address in front of the path, such as `https://track.example.com`. */
  trackUrl: string;
  apiToken: string;
  /** For a proxy that renames the path; `/v1/track/event` unless set. */
  eventPath?: string | undefined;
  /** `basic` (unless set): the token is the user name of HTTP Basic; `query`: it is the parameter `api_token`. */
  auth?: "basic" | "query" | undefined;
  /**
   * Adds `params.event_id` and `params.occurred_at` (epoch milliseconds), the same on every attempt, so that a service
   * that knows them stores a repeated event once. Ours does so with `basic` or the token of a server. Off unless set.
   */
  stamp?: boolean | undefined;
}

/** One action of one contact. */
interface ContactEvent {
  /** A text, or a safe integer, which travels as text. */
  contact_uid: string | number;
  /** Name of the action; `pageview` denotes a page view. */
  event_uid: string;
}

/** An event of any name. */
export interface AnyEvent extends ContactEvent {
  params?: EventParams | ParamsObject | undefined;
}

/** What `track` takes behind the name, as the member `params`. */
type ParamsMember<Arguments extends unknown[]> = Arguments extends [infer Needed]
  ? { params: Needed }
  : { params?: Arguments[0] };

/** An event as `track` takes it: one of those that the app has declared, or of any name where it has declared none. */
export type ServerEvent<Declared = Events> = [keyof Declared] extends [never]
  ? AnyEvent
  :
      | {
          [Name in EventName<Declared>]: ContactEvent & { event_uid: Name } & ParamsMember<
              TrackArguments<Declared, Name, ParamsObject, never>
            >;
        }[EventName<Declared>]
      | (AnyEvent & { event_uid: "pageview" });

/** Free parameters, as far as JSON can hold them. */
export interface EventParams {
  account_uid?: string | undefined;
  /** Human label of the event. */
  display_name?: string | undefined;
  /** Visited address, with `pageview`. */
  visit_url?: string | undefined;
  [member: string]: unknown;
}

/** @throws TypeError that names the option that is wrong */
export const requestOf = (config: SendConfig, several = "") => {
  check(isObject(config), "config: expected an object", config);
  const { apiToken, auth = "basic", eventPath = "/v1/track/event", trackUrl } = config;
  checkAddress("trackUrl", trackUrl);
  check(isText(apiToken, /^[^\p{Cc}\p{Cs}]+$/u), "apiToken: expected a text on one line", apiToken && "***");
  check(["basic", "query"].includes(auth), 'auth: expected "basic" or "query"', auth);
  // A colon would end the user name (RFC 7617 §2).
  check(auth !== "basic" || !apiToken.includes(":"), 'auth: expected "query" for a token with a colon', auth);
  check(
    isText(eventPath, /^\/[^\s\\?#]*$/),
    'eventPath: expected a path that begins with "/", without query and fragment',
    eventPath,
  );
  checkReach(config);
  // HTTP Basic has the token as user name and an empty password, in UTF-8 (RFC 7617 §2.1).
  const bytes = String.fromCharCode(...new TextEncoder().encode(apiToken));
  const credentials = btoa(`${bytes}:`);
  const [query, authorization] =
    auth === "basic" ? ["", { Authorization: `Basic ${credentials}` }] : [`?api_token=${encodeURIComponent(apiToken)}`];
  return {
    method: "POST",
    url: trackUrl.replace(/\/+$/, "") + eventPath + several + query,
    headers: { "Content-Type": "application/json", ...authorization },
    tokens: [credentials, bytes, apiToken],
    maxMiB: 1,
  };
};

/** The same on every attempt. */
export const stampsOf = ({ stamp }: SendConfig) => stamp && { event_id: uuid(), occurred_at: Date.now() };

/** An event as JSON. @throws TypeError that names the member that is wrong */
export const bodyOf = (event: AnyEvent, stamps: object | false | undefined, others?: object): string => {
  check(isObject(event), "event: expected an object", event);
  const { event_uid, params = {} } = event;
  const contact_uid = uidText(event.contact_uid);
  check(isText(contact_uid, /./s), "contact_uid: expected a text that is not empty", contact_uid);
  check(isText(event_uid, /./s), "event_uid: expected a text that is not empty", event_uid);
  check(isObject(params), "params: expected an object", params);
  for (const [name, value] of Object.entries(params)) checkJson(`params.${name}`, value);
  // A caller's own event_id and occurred_at win: what comes out of the caller's queue keeps its id over restarts.
  return JSON.stringify({ contact_uid, event_uid, ...others, params: { ...stamps, ...params } });
};
