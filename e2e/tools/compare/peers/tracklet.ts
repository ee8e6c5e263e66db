import { readFileSync } from "node:fs";
import { ROOT } from "../../../../test/support/launch.js";
import type { Peer } from "../peer.js";

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

export const plain = tracklet({ name: "tracklet", settings: "nothing", options: {} });
export const unstamped = tracklet({
  name: "tracklet, `stamp: false`",
  settings: "`stamp: false`",
  options: { stamp: false },
});
export const several = tracklet({
  options: {},
  name: "tracklet, several in a request",
  settings: "nothing; the service answers with `Tracklet-Batch: 1000`",
  headers: { "tracklet-batch": "1000", "access-control-expose-headers": "Retry-After, Tracklet-Batch" },
});
