import { PEERS, peerScript } from "../../../../test/support/peers.js";
import type { Peer } from "../peer.js";

export const amplitude: Peer = {
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
