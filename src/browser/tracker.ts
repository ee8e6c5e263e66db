/** Wires the parts together. The way of an event: verbs → event → queue → sender → transport. */

import type { Params } from "../declared.js";
import { uuid } from "../shared/uuid.js";
import type { Config, Tracker } from "../types.js";
import { address, formatEvent, isAddressed, revise } from "./capture/event.js";
import { watchPageviews } from "./capture/pageviews.js";
import { type Named, readConfig } from "./config.js";
import { createBackOff } from "./delivery/backoff.js";
import { epochOf } from "./delivery/event-key.js";
import { flush } from "./delivery/flush.js";
import { createQueue } from "./delivery/queue.js";
import { createVerdict } from "./delivery/responses.js";
import { createSender } from "./delivery/sender.js";
import { createTabs, LEASE_MS } from "./delivery/tabs.js";
import { createTransport } from "./delivery/transport.js";
import { isHidden, onLeave, onOnline, onRestore, onStorage, onVisibility } from "./page.js";
import { createConsent } from "./state/consent.js";
import { createIdentity } from "./state/identity.js";

/** A tracker that hears of further configurations for its name. */
export interface Configured extends Tracker {
  init(config: Config): void;
}

export const createTracker = (given: Named): Configured => {
  const config = readConfig(given);
  const { name, report, log, isText } = config;
  const { store, heed, is, choose } = createConsent(`${name}:`, config.consent, () => queue.release());
  const queue = createQueue(store, config.bounds, report);
  const identity = createIdentity(store);
  const tabs = createTabs(store);
  const backOff = createBackOff(store);
  /** May anything be sent? Follows what the visitor has chosen in another tab first. */
  const mayBegin = (): boolean => {
    heed();
    return !!config.url && is("granted");
  };
  /** The body with its contact; nothing while nobody is identified. What a `reset()` has outdated is dropped. */
  const complete = (key: string, body: string): string | undefined => {
    const waitsFor = epochOf(key);
    if (!waitsFor) return body;
    const [epoch, contact] = identity.read();
    if (waitsFor === `${epoch}`) return contact && address(body, contact);
    log("dropped", "reset");
    queue.remove(key);
    return "";
  };
  const sender = createSender(
    queue,
    tabs,
    backOff,
    createTransport(config.url, config.contentType, log),
    createVerdict(queue, backOff, report),
    mayBegin,
    complete,
    !!config.stamp,
  );

  /** No verb ever throws into the page. */
  const guard =
    <Args extends unknown[]>(verb: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        verb(...args);
      } catch (error) {
        report("input", `${(error as Error)?.message}`);
      }
    };

  const add = (eventUid: string, params: Params = {}, own?: Params): void => {
    if (is("denied")) log("dropped", "consent");
    else if (isText("eventUid", eventUid)) {
      const [epoch, contact, account] = identity.read();
      const stamps = config.stamp && { event_id: uuid(), occurred_at: Date.now() };
      const all = { account_uid: account || undefined, ...own, ...stamps };
      let body = formatEvent(report, { contact_uid: contact, event_uid: eventUid, params }, all);
      if (eventUid === "pageview" || config.beforeSend) body = revise(body, config);
      if (body) {
        const waitsFor = isAddressed(body) ? "" : `${epoch}`;
        log(is("granted") ? (waitsFor ? "identify" : "queued") : "pending", body);
        queue.append(tabs.id(), body, waitsFor);
        sender.wake();
      } else log("dropped", "hook");
    }
  };
  const view = (visit_url: string, params?: Params): void => add("pageview", params, { visit_url });

  const tracker: Configured = {
    // This configuration, and those of other copies of the snippet or of the package.
    init: guard((other) => {
      if (other.apiToken === config.apiToken) {
        if (other.contactUid) tracker.identify(other.contactUid, other.accountUid);
      } else if (other.apiToken) {
        const detail = "two apiTokens";
        console.warn(name, detail);
        report("input", detail);
      }
    }),
    identify: guard((contactUid, accountUid) => {
      if (isText("contactUid", contactUid)) {
        identity.set(contactUid, accountUid);
        sender.wake();
      }
    }),
    track: guard((eventUid: string, params?: Params) => add(eventUid, params)),
    pageview: guard((params) => view(location.href, params)),
    flush: (options) =>
      flush(
        queue,
        () => {
          sender.adopt();
          sender.hear(true);
        },
        () => is("granted") && sender.isBusy(),
        options?.timeoutMs ?? 5_000,
      ),
    reset: guard(identity.reset),
    optIn: guard(() => {
      const [epoch] = identity.read();
      // What waits here belongs to whom the storage may still know.
      if (choose("granted")) identity.adopt(epoch);
      sender.wake();
    }),
    optOut: guard(() => {
      choose("denied");
    }),
    debug: guard(config.listen),
  };
  heed();

  onVisibility(() => sender.hear(!isHidden()));
  onLeave(sender.leave);
  onRestore(sender.restore);
  onOnline(() => sender.hear(true));
  onStorage(() => sender.hear());
  tracker.init(config);
  // After the calls that follow at once: the view of a page is of the contact that is identified on it.
  Promise.resolve().then(() => {
    if (config.pageviews !== "off") watchPageviews(config.pageviews === "hash", view);
    sender.adopt();
    setInterval(sender.adopt, LEASE_MS);
  });
  return tracker;
};
