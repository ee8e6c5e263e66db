import { PEERS, peerScript } from "../../../../test/support/peers.js";
import type { Peer } from "../peer.js";

interface Tracked {
  batch?: Tracked[];
  event: string;
  messageId: string;
}

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

export const rudderstack: Peer = {
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
  read: ({ body }) => {
    const sent: Tracked = JSON.parse(body);
    return (sent.batch ?? [sent]).map(({ event: name, messageId: id }) => ({ name, id }));
  },
  answer: "OK",
  settle: (service) => ({ source: { ...SOURCE, dataplanes: {}, dataPlaneUrl: service }, updatedAt: "2026-01-01" }),
};
