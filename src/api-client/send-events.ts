import { EVENT_PATH } from "../shared/option-values.js";
import { backOffMs } from "../shared/retry-policy.js";
import { uuid } from "../shared/uuid.js";
import type { EventName, Events, ParamsObject, TrackArguments } from "../types/declared.js";
import { type ApiError, NotFoundError, type TrackletError } from "./errors.js";
import { type Account, type Contact, isId, record, type Stage } from "./look-ups.js";
import { type CallOptions, checkReach, type Reach, request } from "./request.js";
import { check, checkAddress, checkJson, checkWhole, isObject, isText, uidText } from "./validate.js";

/** What `sendEvent` and `sendEvents` have in common: where events go, and what is sent of one. */

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
  const { apiToken, auth = "basic", eventPath = EVENT_PATH, trackUrl } = config;
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

/** Events and bytes of a request, as the service takes them. */
const [MAX_EVENTS, MAX_BYTES] = [1_000, 1_000_000];

/** An event of the past. */
export interface DatedEvent extends AnyEvent {
  /** When it was received, in milliseconds since 1970; the service obeys it with the admin token alone. */
  received_at?: number | undefined;
}

/** What became of an event. */
export interface SentEvent {
  /**
   * `stored`; `repeated`: it was stored before, by its `event_id`; `refused`: it is wrong in itself; `again`: it is not
   * stored as far as is known, and may be sent once more.
   */
  status: "stored" | "repeated" | "refused" | "again";
  /** Of `refused` and `again`, for a person. */
  why?: string | undefined;
  /** Of `again`: what ended the request, where it had no answer for each event. */
  error?: TrackletError | undefined;
}

const STATUSES = ["stored", "repeated", "refused", "again"];

/**
 * Sends events, up to 1,000 or 1 MB in a request, one request after another. What may be repeated is, as by `sendEvent`,
 * whose time and retries hold for each request; without `stamp`, events whose answer was lost may then be stored twice.
 *
 * @returns what became of each, in their order
 * @throws TypeError when an argument is wrong, before anything is sent
 * @throws as `sendEvent`, where the service has judged not a single event
 */
export const sendEvents = async (
  config: SendConfig,
  events: readonly DatedEvent[],
  options: CallOptions = {},
): Promise<SentEvent[]> => {
  const to = requestOf(config, "s");
  check(Array.isArray(events), "events: expected an array", events);
  const bodies = events.map((event, index) => {
    try {
      return bodyOfDated(config, event);
    } catch (error) {
      throw new TypeError(`events[${index}]: ${(error as Error).message}`);
    }
  });
  const sent = bodies.map((): SentEvent => ({ status: "again" }));
  let isJudged = false;

  /** Sends some of them, by their places, until there is a verdict on each, or `retries` are used up. */
  const send = async (places: number[], failed = 0): Promise<void> => {
    const body = `[${places.map((place) => bodies[place]).join()}]`;
    const verdicts = await request({ ...to, body, accept: verdictsOn(places.length) }, config, options).catch(
      async (error: ApiError) => {
        if (error.status !== 413) throw error;
        // It may be a proxy that takes less.
        const half = places.length >> 1;
        if (half === 0) return [{ status: "refused" as const, why: error.error }];
        await send(places.slice(0, half));
        return send(places.slice(half));
      },
    );
    if (!verdicts) return;
    isJudged = true;
    for (const [at, { status, why }] of verdicts.entries()) sent[places[at]!] = why ? { status, why } : { status };
    const again = places.filter((place) => sent[place]!.status === "again");
    if (again.length === 0 || failed >= (config.retries ?? 2)) return;
    await pause(backOffMs(failed), options.signal);
    await send(again, failed + 1);
  };

  try {
    for (const places of requestsOf(bodies)) await send(places);
  } catch (error) {
    if (error instanceof NotFoundError) error.message += " (only tracklet's own service takes several events)";
    if (!isJudged) throw error;
    for (const one of sent) if (one.status === "again") Object.assign(one, { why: String(error), error });
  }
  return sent;
};

/** An event that was received in the past gets no `occurred_at` of now. */
const bodyOfDated = (config: SendConfig, event: DatedEvent): string => {
  const { received_at } = Object(event) as DatedEvent;
  if (received_at === undefined) return bodyOf(event, stampsOf(config));
  checkWhole("received_at", received_at, { max: Number.MAX_SAFE_INTEGER });
  return bodyOf(event, config.stamp && { event_id: uuid() }, { received_at });
};

/** The places of the events of each request. */
function* requestsOf(bodies: readonly string[]): Generator<number[]> {
  const encoder = new TextEncoder();
  let places: number[] = [];
  let bytes = 2;
  for (const [place, body] of bodies.entries()) {
    const size = encoder.encode(body).length + 1;
    if (places.length === MAX_EVENTS || (places.length > 0 && bytes + size > MAX_BYTES)) {
      yield places;
      [places, bytes] = [[], 2];
    }
    places.push(place);
    bytes += size;
  }
  if (places.length > 0) yield places;
}

/** The body as one verdict for each event. */
const verdictsOn =
  (number: number) =>
  (body: SentEvent[]): SentEvent[] => {
    const isRight = Array.isArray(body) && body.length === number;
    check(
      isRight && body.every((one) => STATUSES.includes(Object(one).status)),
      "body: expected a verdict an event",
      body,
    );
    return body;
  };

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });

/** Where the records are, and who changes them. */
export interface AdminConfig extends Reach {
  /** Address in front of `/v2`, such as `https://api.example.com`. */
  baseUrl: string;
  /** Sent as a bearer token; keep it on servers. */
  adminToken: string;
}

/** What an account has; the record keeps what is left out. */
export interface AccountTraits {
  /** Custom attributes, in place of all that there were. */
  data?: object | undefined;
  stage?: Stage | null | undefined;
  health?: number | string | null | undefined;
  /** As it was read: a `health` that it names was told by the service itself, and is not set. */
  health_source?: string | null | undefined;
  /** Epoch seconds. */
  created_at?: number | undefined;
}

/** What a contact has. */
export interface ContactTraits extends AccountTraits {
  archived?: boolean | undefined;
  /** Uids of accounts that it belongs to, besides those that it does. */
  accounts?: readonly string[] | undefined;
}

type Update<Traits, T> = (config: AdminConfig, uid: string, traits: Traits, options?: CallOptions) => Promise<T>;

const updating =
  <Traits extends object, T extends object>(path: string): Update<Traits, T> =>
  async (config, uid, traits, options) => {
    check(isObject(config), "config: expected an object", config);
    const { adminToken, baseUrl } = config;
    checkAddress("baseUrl", baseUrl);
    check(isText(adminToken, /^[!-~]+$/), "adminToken: expected ASCII without spaces", adminToken && "***");
    checkReach(config);
    check(isId(uid), 'uid: expected a text other than "", "." and ".."', uid);
    check(isObject(traits), "traits: expected an object", traits);
    checkJson("traits", traits);
    return request(
      {
        method: "PUT",
        url: `${baseUrl.replace(/\/*$/, "/v2/")}${path}?uid=${encodeURIComponent(uid)}`,
        headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
        body: JSON.stringify(traits),
        tokens: [adminToken],
        maxMiB: 16,
        accept: record<T>,
      },
      config,
      options,
    );
  };

/**
 * Makes a contact, or changes what `traits` name of it; resolves to the record. Repeated as look-ups are: the second time
 * changes nothing.
 *
 * @throws TypeError when an argument is wrong; otherwise as the look-ups of `tracklet/read`
 */
export const updateContact: Update<ContactTraits, Contact> = updating("contacts");

/** The same of an account. */
export const updateAccount: Update<AccountTraits, Account> = updating("accounts");

/** Whom the page may speak for, and for how long. */
export interface Identity {
  /** Unique id of the contact, as `identify` gets it. */
  contactUid: string | number;
  /** Unique id of the account, as `identify` gets it; none unless set. */
  accountUid?: string | number | undefined;
  /** Seconds for which the proof is good, 1 to 86,400; an hour unless set. */
  expiresIn?: number | undefined;
}

const DAY_S = 86_400;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/**
 * Signs who the visitor is, for `identify(contact, account, { proof })` in the page. The secret is the one of the service's
 * option `TRACKLET_IDENTITY_SECRET`, and never leaves the server.
 *
 * @returns the proof: `1.<issued>.<expires>.<HMAC-SHA256>`, with seconds since 1970
 * @throws TypeError when an argument is wrong
 */
export const proveIdentity = async (
  secret: string,
  { contactUid, accountUid = "", expiresIn = 3_600 }: Identity,
): Promise<string> => {
  check(isText(secret, /^.{32,}$/), "secret: expected a text of at least 32 characters", secret && "***");
  const [contact, account] = [contactUid, accountUid].map(uidText);
  check(isText(contact, /./s), "contactUid: expected a text that is not empty", contact);
  check(isText(account, /^/), "accountUid: expected a text", account);
  checkWhole("expiresIn", expiresIn);
  check(expiresIn > 0 && expiresIn <= DAY_S, "expiresIn: expected seconds, 1 to 86,400", expiresIn);
  const issued = Math.floor(Date.now() / 1_000);
  const members = [`${contact}`, `${account}`, `${issued}`, `${issued + expiresIn}`];
  // The length in bytes before each member: nothing can be shifted from one into the next.
  const message = members.map((member) => `${bytesOf(member).length}:${member}`).join("");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(message)));
  const hex = [...signature].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `1.${issued}.${issued + expiresIn}.${hex}`;
};
