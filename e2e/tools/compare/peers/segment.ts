import { PEERS, peerScript } from "../../../../test/support/peers.js";
import type { Peer } from "../peer.js";

/** A request without batching holds one event. */
interface Body {
  batch?: Body[];
  event: string;
  messageId: string;
}

export const segment: Peer = {
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
  read: ({ body }) => {
    const sent: Body = JSON.parse(body);
    return (sent.batch ?? [sent]).map(({ event, messageId }) => ({ name: event, id: messageId }));
  },
  answer: '{"success":true}',
  settle: () => ({ integrations: { "Segment.io": { apiKey: "key" } }, plan: {}, metrics: { sampleRate: 0 } }),
};
