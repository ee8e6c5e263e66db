/** Wires the parts together. The way of an event: verb → event → queue → round → request. */
import type { Params } from "../declared.js";
import { attempt } from "../shared/attempt.js";
import type { Config, FlushResult, Tracker } from "../types.js";
import { plainParams } from "./capture/event.js";
import { revise, reviseUrl } from "./capture/hooks.js";
import { countView, judgeView, move, moveInHistory, watchPageviews } from "./capture/pageviews.js";
import { config, configure, isOn, type Named, url } from "./config.js";
import { address, followVisitor, forgetUnaddressed } from "./delivery/addressing.js";
import { EVENT, isAddressed } from "./delivery/event-key.js";
import { flush } from "./delivery/flush.js";
import { isGone } from "./delivery/in-flight.js";
import { append, rows, trim } from "./delivery/queue.js";
import { comeBack, followTab, leave, prepare, round, wake } from "./delivery/rounds.js";
import { lookWithin, me, restart } from "./delivery/tabs.js";
import { isHidden, onPage, type PageEvent } from "./page.js";
import { isReporting, listenTo, log, readUid, report } from "./reporting.js";
import { choose, consent, followConsent } from "./state/consent.js";
import { identify, identity, resetIdentity } from "./state/identity.js";
import { keys } from "./state/storage.js";

/** Members that every event gets. */
let common: Params = {};

const add = (verb: string, given: unknown, params: unknown, view?: Params): void => {
  const event_uid = readUid(`${verb}: eventUid`, given);
  if (consent === "denied") log("dropped", "consent");
  if (consent === "denied" || !event_uid) return;
  const [, contact_uid, account_uid] = identity();
  const stamps = isOn(config.stamp) && {
    event_id: crypto.randomUUID?.() ?? me + Math.random(),
    occurred_at: Date.now(),
  };
  const own = account_uid ? { account_uid } : undefined;
  const all: Params = { ...common, ...own, ...stamps, ...view, ...plainParams(verb, params) };
  if (event_uid === "pageview" && typeof all.visit_url === "string") {
    const visit_url = reviseUrl(all.visit_url);
    if (!visit_url) return;
    all.visit_url = visit_url;
  }
  const body = revise({ contact_uid, event_uid, params: all });
  if (!body) return;
  log(consent === "pending" ? "waits for consent" : isAddressed(body) ? "queued" : "waits for identify", body);
  prepare();
  append(me, body);
  // While it is quiet: a report of what makes room for a report would have no end.
  if (isReporting) trim();
  wake();
};

const addView = (params?: Params): void => add("pageview", "pageview", params, { visit_url: location.href });

/** The verbs. Whoever calls them catches what they throw. */
export const verbs = {
  identify: (contactUid, accountUid): void => {
    const contact = readUid("identify: contactUid", contactUid);
    const account = accountUid == null || accountUid === "" ? "" : readUid("identify: accountUid", accountUid);
    if (!contact) return;
    prepare();
    followVisitor();
    identify(contact, account);
    address();
    // Dead tabs may have left events that nobody was named for.
    lookWithin(0);
    wake();
  },
  track: (eventUid: string, params?: Params): void => {
    judgeView();
    add("track", eventUid, params);
  },
  pageview: (params): void => {
    // It stands for the view of its URL that may be about to be counted.
    if ((params?.visit_url ?? location.href) === location.href) countView();
    else judgeView();
    addView(params);
  },
  flush: (options): Promise<FlushResult> => {
    judgeView();
    return flush(options?.timeoutMs ?? 5_000);
  },
  reset: (): void => {
    resetIdentity();
    // Also those that the page has emptied out of the storage.
    forgetUnaddressed(new Set([...rows.keys(), ...keys(EVENT)]));
  },
  optIn: (): void => {
    prepare();
    choose("granted");
    wake();
  },
  optOut: (): void => {
    choose("denied");
    round();
  },
  debug: listenTo,
} as Tracker;

const follow = ({ type, persisted, key, newValue }: PageEvent): void => {
  if (type === "storage") {
    const [name, kind] = `${key}`.split(":");
    if (key === null || name === config.name) followTab(`${kind}`, newValue);
  } else if (type === "popstate") moveInHistory();
  else if (type === "pageshow") {
    if (persisted) move("load");
    if (isGone) comeBack();
  } else {
    judgeView(true);
    if (type === "pagehide") leave();
    else if (!isGone) round(!isHidden());
    // A page that comes back from the back/forward cache is seen before its `pageshow`.
    else if (!isHidden()) comeBack();
  }
};

let isBegun = false;

/** The first look into the storage: with the first call, or in the task after `start`. */
export const begin = (): void => {
  if (isBegun) return;
  isBegun = true;
  followConsent();
  if (config.contactUid) verbs.identify(config.contactUid, config.accountUid);
};

/** Starts the one tracker of this script. */
export const start = (given: Named): void => {
  configure(given);
  const { params } = given;
  common = plainParams("init", typeof params === "string" ? (attempt(() => JSON.parse(params)) ?? params) : params);
  if (isOn(given.debug)) listenTo((...line) => console.debug(given.name, ...line));
  const missing = ["apiToken", "trackUrl"].filter((option) => !given[option as keyof Config]);
  if (!url) report("input", `no ${missing.join(", ") || "address in trackUrl"}`);
  restart();
  onPage(follow);
  setTimeout(() => {
    attempt(begin);
    round(true);
  });
  if (given.pageviews !== "off") watchPageviews(addView);
};
