/** Wires the parts together. The way of an event: verb → event → queue → round → request. */

import { attempt } from "../shared/attempt.js";
import type { Params } from "../types/declared.js";
import type { FlushResult, Tracker } from "../types.js";
import { plainParams, revise } from "./capture/event-body.js";
import { countView, judgeView, move, moveInHistory, viewed, watchPageviews } from "./capture/pageviews.js";
import { redact } from "./capture/redact.js";
import { config, isOn, isPerPage } from "./config.js";
import * as delivery from "./delivery/add-and-flush.js";
import { onPage, type PageEvent, referrer } from "./page.js";
import { guard, listenTo, log, readUid } from "./reporting.js";
import { allowed, hearChanges } from "./state/consent.js";
import { identity, identityParams, who } from "./state/identity.js";
import { consent } from "./state/storage.js";

const add = (given: unknown, params: unknown, view?: Params): void => {
  const event_uid = readUid("track: eventUid", given);
  if (!event_uid) return;
  if (consent === "denied") return void log("dropped", "consent");
  const own = plainParams(view ? "pageview" : `track ${event_uid}`, params);
  const all: Params = {
    ...plainParams("init", typeof config.params === "function" ? (attempt(config.params) ?? 0) : config.params),
    ...identityParams(),
    ...view,
    ...own,
  };
  all.visit_url &&= redact(all.visit_url, config);
  const event = revise({ contact_uid: identity[1], event_uid, params: all });
  if (!event) return;
  // Whoever logs in next has not seen the page of a log-out, or that of the log-in.
  if (!event.contact_uid && identity[0]) return void log("dropped", "reset");
  delivery.add(event, !!own.account_uid);
};

/** Where the visitor came from, until a page view has told it. */
let from: string | undefined;

const addView = (params?: Params): void => {
  add("pageview", params, { visit_url: viewed, ...(from && { referrer: from }) });
  from = "";
};

/** The verbs. Whoever calls them catches what they throw. */
export const verbs = {
  identify: (contactUid, accountUid, options): void => {
    const contact = readUid("identify: contactUid", contactUid);
    const account = accountUid == null || accountUid === "" ? "" : readUid("identify: accountUid", accountUid);
    // As `proveIdentity` writes it, it stays as it is; of anything else no character can end a text of JSON.
    const proof = encodeURIComponent(options?.proof ?? "");
    if (contact) delivery.identified(contact, account, proof);
  },
  track: (eventUid: string, params?: Params): void => {
    judgeView();
    if (!delivery.isThrottled(eventUid)) add(eventUid, params);
  },
  pageview: (params?: Params): void => {
    // It stands for the view of its URL that may be about to be counted.
    if ((params?.visit_url ?? location.href) === location.href) countView();
    else judgeView();
    if (!delivery.isThrottled("pageview")) addView(params);
  },
  flush: (options): Promise<FlushResult> => {
    judgeView();
    return delivery.flush(options?.timeoutMs ?? 5_000);
  },
  reset: delivery.reset,
  identity: who,
  // Also where the page is loaded ahead of its visit, so that its banner does not ask who has chosen.
  consent: () => consent ?? (config.consent ? allowed() : "pending"),
  optIn: (): void => delivery.chosen("granted"),
  optOut: (): void => delivery.chosen("denied"),
  onChange: hearChanges,
  debug: listenTo,
} as Tracker;

const onEvent = (event: PageEvent): void =>
  guard(() => {
    const { type } = event;
    // Routers fire it, too.
    if (type === "popstate") return moveInHistory();
    // A page may make any other event by itself: it says nothing of the page's life. The end of its load says nothing, either.
    if (!event.isTrusted) return;
    if (type === "pageshow") {
      if (!event.persisted) return;
      move("load");
    } else if (type !== "storage") judgeView(true);
    if (type === "pagehide" && isPerPage() && delivery.unaddressed.size)
      log("dropped", `identity: ${delivery.unaddressed.size}`);
    delivery.onPageEvent(event);
  });

/**
 * The first look into the storage, and the first listener: with the first call, or in the task after `start`, so that they do
 * not delay the page's first paint. The look comes first: Chromium waits three times as long for a storage that was listened to
 * before it was read (measured with Chromium 156).
 */
export const begin = (): void => {
  if (!consent) {
    delivery.catchUp();
    if (config.contactUid) verbs.identify(config.contactUid, config.accountUid, config);
    // A call of nothing would be caught, too: Chromium parses the whole script once more to name it.
    if (config.onChange) attempt(() => hearChanges(config.onChange!));
  }
  onPage(onEvent);
};

/** Starts the one tracker of this script, with the options of `configure`. */
export const start = (): void => {
  const { params } = config;
  // In a tag they are a text.
  if (typeof params === "string") config.params = attempt(() => JSON.parse(params)) ?? params;
  // Of a URL of the site itself nothing is left.
  if (isOn(config.referrer)) from = redact(referrer().split(`${origin}/`)[0], config);
  if (isOn(config.debug)) listenTo((...line) => console.debug(config.name, ...line));
  setTimeout(() => {
    guard(begin);
    guard(delivery.resume);
  });
  if (config.pageviews !== "off") watchPageviews(addView);
};
