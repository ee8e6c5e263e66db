/** Wires the parts together. The way of an event: verbs → event → queue → sender → transport. */
import { createBackOff } from "./backoff.js";
import { readConfig } from "./config.js";
import { address, formatEvent } from "./event.js";
import { flush } from "./flush.js";
import { createIdentity } from "./identity.js";
import { currentUrl, isHidden, onLeave, onOnline, onRestore, onStorage, onVisibility, whenActive } from "./page.js";
import { watchPageviews } from "./pageviews.js";
import { createQueue } from "./queue.js";
import { redact } from "./redact.js";
import { epochOf } from "./row.js";
import { createSender } from "./sender.js";
import { createStore } from "./storage.js";
import { createTabs, LEASE_MS } from "./tabs.js";
import { createTransport } from "./transport.js";
import type { Config, Params, Tracker } from "./types.js";
import { uuid } from "./uuid.js";
import { createVerdict } from "./verdict.js";

/** A tracker that hears of further configurations for its name. */
export interface Configured extends Tracker {
  init(config: Config): void;
}

export const createTracker = (config: Config): Configured => {
  const { name, url, bounds, report, isText } = readConfig(config);
  const store = createStore(`${name}:`);
  const identity = createIdentity(store);
  const tabs = createTabs(store, Date.now, Math.random);
  const queue = createQueue(store, bounds, Date.now, report);
  const backOff = createBackOff(store, Date.now, Math.random);
  const sender = createSender(
    queue,
    tabs,
    backOff,
    createTransport(url),
    createVerdict(queue, backOff, report),
    (key, body) => {
      const [epoch, contact] = identity.read();
      const waitsFor = epochOf(key);
      if (!url) return "";
      if (!waitsFor) return body;
      if (waitsFor === `${epoch}`) return contact && address(body, contact);
      queue.remove(key);
      return "";
    },
    isHidden,
    !!config.stamp,
  );

  /** No verb ever throws into the page, and none does anything in a page that is not shown yet. */
  const guard =
    <Args extends unknown[]>(verb: (...args: Args) => void) =>
    (...args: Args): void =>
      whenActive(() => {
        try {
          verb(...args);
        } catch (error) {
          report("input", `${error}`);
        }
      });

  const add = (eventUid: string, params: Params = {}, own?: Params): void => {
    if (!isText("eventUid", eventUid)) return;
    const [epoch, contact, account] = identity.read();
    const stamps = config.stamp && { event_id: uuid(), occurred_at: Date.now() };
    const body = formatEvent(eventUid, params, { account_uid: account || undefined, ...own, ...stamps }, (member) =>
      report("input", `params.${member}: expected JSON`),
    );
    queue.append(tabs.id(), contact ? address(body, contact) : body, contact ? "" : `${epoch}`);
    sender.wake();
  };

  const view = (params?: Params, url = currentUrl()): void => {
    let visit_url: string | null = redact(url);
    try {
      if (config.visitUrl) visit_url = config.visitUrl(new URL(visit_url))?.toString() ?? null;
    } catch (error) {
      report("input", `visitUrl: ${error}`);
    }
    if (visit_url) add("pageview", params, { visit_url });
  };

  let isWarned = false;
  const tracker: Configured = {
    // Another copy of the snippet or of the package.
    init: guard(({ apiToken, contactUid, accountUid }) => {
      if (apiToken === config.apiToken) {
        if (contactUid) tracker.identify(contactUid, accountUid);
      } else if (apiToken && !isWarned) {
        isWarned = true;
        const detail = "apiToken: another one holds";
        console.warn(`${name}: ${detail}`);
        report("input", detail);
      }
    }),
    identify: guard((contactUid, accountUid) => {
      if (isText("contactUid", contactUid)) {
        identity.set(contactUid, accountUid);
        sender.wake();
      }
    }),
    track: guard((eventUid, params) => add(eventUid, params)),
    pageview: guard((params) => view(params)),
    flush: (options) =>
      flush(
        queue,
        () => {
          sender.adopt();
          sender.hear(true);
        },
        sender.isBusy,
        options?.timeoutMs ?? 5_000,
      ),
    reset: guard(identity.reset),
  };

  onVisibility(() => sender.hear(!isHidden()));
  onLeave(sender.leave);
  onRestore(sender.restore);
  onOnline(() => sender.hear(true));
  onStorage(() => sender.hear());
  if (config.contactUid) tracker.identify(config.contactUid, config.accountUid);
  // After the calls that follow at once: the view of a page is of the contact that is identified on it.
  Promise.resolve().then(() =>
    whenActive(() => {
      if (config.pageviews !== "off") watchPageviews(config.pageviews === "hash", (url) => view({}, url));
      sender.adopt();
      setInterval(sender.adopt, LEASE_MS);
    }),
  );
  return tracker;
};
