import { readFileSync } from "node:fs";
import { ROOT } from "../../../test/support/launch.js";
import { PEERS, peerScript } from "../../../test/support/peers.js";
import type { RecordedRequest } from "../../harness/fault.js";
import { plausibleWith } from "../bench/plausible.js";

/** An event as a service finds it in a request. */
export interface Received {
  name: string;
  /** By which a service can tell that it has the event already, if the tracker sends one. */
  id?: string | undefined;
}

/** A tracker, as its maker's documents say that it is to be used where no event may be lost. */
export interface Peer {
  /** Its heading in the table. */
  name: string;
  version: string;
  /** The page of its maker's documents that the settings come from. */
  docs: string;
  /** What is set beyond the address of the service, in words. */
  settings: string;
  /** What its maker does not promise, where that explains a figure. */
  note?: string;
  /** The text of its script. */
  script: () => string | Promise<string>;
  /** Code that stands before its script, where its maker's snippet has some that the script needs. */
  stub?: (service: string) => string;
  /** Code that starts it with this service, after its script has run, and defines `record(name)`. */
  start: (service: string) => string;
  /** The events of a request. @throws Error when the body is not what its maker's service takes */
  read: (asked: Pick<RecordedRequest, "body">) => Received[];
  /** What its maker's service answers to a request with events. Default: `{}`. */
  answer?: string;
  /** Headers of that answer. */
  headers?: Record<string, string> | undefined;
  /** What its maker's service, at this address, answers to other requests, which fetch the settings of a project. */
  settle?: (service: string) => object;
}

const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { version: string };

interface Way extends Pick<Peer, "name" | "settings" | "headers"> {
  options: object;
}

const tracklet = ({ options, ...peer }: Way): Peer => ({
  ...peer,
  version,
  docs: "delivery.md",
  script: () => readFileSync(`${ROOT}dist/tracklet.iife.js`, "utf8"),
  start: (trackUrl) => {
    const all = { apiToken: "token", trackUrl, contactUid: "contact-1", pageviews: "off", ...options };
    return `tracklet.push(["init", ${JSON.stringify(all)}]); window.record = (name) => tracklet.track(name);`;
  },
  read: ({ body }) => {
    const events: { event_uid: string; params?: { event_id?: string } }[] = [JSON.parse(body)].flat();
    return events.map(({ event_uid, params }) => ({ name: event_uid, id: params?.event_id }));
  },
  answer: '{"status":"success"}',
});

const plain = tracklet({ name: "tracklet", settings: "nothing", options: {} });
const unstamped = tracklet({
  name: "tracklet, `stamp: false`",
  settings: "`stamp: false`",
  options: { stamp: false },
});
const several = tracklet({
  options: {},
  name: "tracklet, several in a request",
  settings: "nothing; the service answers with `Tracklet-Batch: 1000`",
  headers: { "tracklet-batch": "1000", "access-control-expose-headers": "Retry-After, Tracklet-Batch" },
});

const plausible: Peer = {
  name: "Plausible",
  version: PEERS.Plausible[0],
  docs: "https://www.npmjs.com/package/@plausible-analytics/tracker",
  settings: "nothing",
  note: "It has neither a queue nor retries.",
  script: () => plausibleWith(""),
  start: (service) => {
    const options = { domain: "example.com", endpoint: `${service}/api/event`, autoCapturePageviews: false };
    // Else the tracker leaves out what a test's browser does, on a machine of a developer.
    return `plausible.init(${JSON.stringify({ ...options, captureOnLocalhost: true })});
      window.record = (name) => plausible(name);`;
  },
  read: ({ body }) => {
    const { n: name } = JSON.parse(body);
    // How long a page was read is told when it is left.
    return name === "engagement" ? [] : [{ name }];
  },
  answer: "ok",
};

const snowplow: Peer = {
  name: "Snowplow",
  version: PEERS.Snowplow[0],
  docs: "https://docs.snowplow.io/docs/sources/web-trackers/configuring-how-events-sent",
  settings: "`keepalive: true`; the queue in `localStorage` and retries are defaults",
  script: () => peerScript("Snowplow"),
  start: (service) => `snowplowBrowserTracking.newTracker("sp", "${service}", { appId: "app", keepalive: true });
    window.record = (name) => snowplowBrowserTracking.trackStructEvent({ category: "test", action: name });`,
  read: ({ body }) => {
    const { data }: { data: { se_ac: string; eid: string }[] } = JSON.parse(body);
    return data.map(({ se_ac: name, eid: id }) => ({ name, id }));
  },
  answer: "ok",
};

/** A request without batching holds one event. */
interface Body {
  batch?: Body[];
  event: string;
  messageId: string;
}

/** What Segment and RudderStack send. */
const readBatch = ({ body }: Pick<RecordedRequest, "body">): Received[] => {
  const sent: Body = JSON.parse(body);
  return (sent.batch ?? [sent]).map(({ event: name, messageId: id }) => ({ name, id }));
};

const segment: Peer = {
  name: "Segment",
  version: PEERS.Segment[0],
  docs: "https://www.twilio.com/docs/segment/connections/sources/catalog/libraries/website/javascript",
  settings: "`retryQueue: true` and `keepalive: true`; persistence is a default",
  script: () => peerScript("Segment"),
  stub: (service) => {
    const settings = { deliveryStrategy: { config: { keepalive: true } }, apiHost: `${new URL(service).host}/v1` };
    const options = { retryQueue: true, integrations: { "Segment.io": { ...settings, protocol: "http" } } };
    return `window.analytics = [];
      Object.assign(analytics, { _writeKey: "key", _cdn: "${service}", _loadOptions: ${JSON.stringify(options)} });`;
  },
  start: () =>
    `window.record = (name) => Array.isArray(analytics) ? analytics.push(["track", name]) : analytics.track(name);`,
  read: readBatch,
  answer: '{"success":true}',
  settle: () => ({ integrations: { "Segment.io": { apiKey: "key" } }, plan: {}, metrics: { sampleRate: 0 } }),
};

const amplitude: Peer = {
  name: "Amplitude",
  version: PEERS.Amplitude[0],
  docs: "https://amplitude.com/docs/sdks/analytics/browser/browser-sdk-2",
  settings: "the beacon at `pagehide`; storage of unsent events and retries are defaults",
  script: () => peerScript("Amplitude"),
  start: (service) => {
    const options = { serverUrl: `${service}/2/httpapi`, autocapture: false, fetchRemoteConfig: false };
    return `amplitude.init("key", "visitor-1", ${JSON.stringify(options)});
      addEventListener("pagehide", () => { amplitude.setTransport("beacon"); amplitude.flush(); });
      window.record = (name) => amplitude.track(name);`;
  },
  read: ({ body }) => {
    const { events }: { events: { event_type: string; insert_id: string }[] } = JSON.parse(body);
    return events.map(({ event_type: name, insert_id: id }) => ({ name, id }));
  },
  answer: '{"code":200}',
};

const SOURCE = {
  id: "source",
  name: "app",
  writeKey: "key",
  enabled: true,
  config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
  connections: [],
  destinations: [],
  workspaceId: "workspace",
};

const rudderstack: Peer = {
  name: "RudderStack",
  version: PEERS.RudderStack[0],
  docs: "https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-javascript-sdk/load-js-sdk/",
  settings: "nothing; the queue in `localStorage` and retries are defaults, which `useBeacon` would give up",
  note: "The bundled script of its package, minified here.",
  script: () => peerScript("RudderStack"),
  start: (service) => {
    const options = { configUrl: service, logLevel: "NONE", sessions: { autoTrack: false } };
    return `const analytics = new rudderanalytics.RudderAnalytics();
      analytics.load("key", "${service}", ${JSON.stringify(options)});
      window.record = (name) => analytics.track(name);`;
  },
  read: readBatch,
  answer: "OK",
  settle: (service) => ({ source: { ...SOURCE, dataplanes: {}, dataPlaneUrl: service }, updatedAt: "2026-01-01" }),
};

interface Captured {
  event: string;
  uuid: string;
}

const posthog: Peer = {
  name: "PostHog",
  version: PEERS.PostHog[0],
  docs: "https://posthog.com/docs/libraries/js/config",
  settings: '`defaults: "2026-01-30"`; retries in the page and a beacon when it is left are defaults',
  note: "What waits is in memory.",
  script: () => peerScript("PostHog"),
  start: (service) => {
    const options = {
      api_host: service,
      defaults: "2026-01-30",
      autocapture: false,
      capture_pageview: false,
      capture_pageleave: false,
      // Nothing beside events, as with the others.
      advanced_disable_flags: true,
      disable_session_recording: true,
      disable_surveys: true,
      disable_external_dependency_loading: true,
      // Else it drops what a test's browser does.
      opt_out_useragent_filter: true,
    };
    return `posthog.init("phc_key", ${JSON.stringify(options)}); window.record = (name) => posthog.capture(name);`;
  },
  read: ({ body }) => {
    // A beacon's body is a form field, in Base64.
    const data = body.startsWith("data=") ? new URLSearchParams(body).get("data")! : body;
    const json = /^\s*[[{]/.test(data) ? data : Buffer.from(data, "base64").toString("utf8");
    const sent: Captured | Captured[] | { batch: Captured[] } = JSON.parse(json);
    const events = "batch" in sent ? sent.batch : [sent].flat();
    return events.map(({ event: name, uuid: id }) => ({ name, id }));
  },
  answer: '{"status":"Ok"}',
  settle: () => ({}),
};

/** Who is compared, in the order of the table. */
export const ALL: Record<string, Peer> = {
  unstamped,
  tracklet: plain,
  several,
  plausible,
  snowplow,
  segment,
  amplitude,
  rudderstack,
  posthog,
};
