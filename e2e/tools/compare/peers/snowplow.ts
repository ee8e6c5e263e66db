import { PEERS, peerScript } from "../../../../test/support/peers.js";
import type { Peer } from "../peer.js";

export const snowplow: Peer = {
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
