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

const STAMPED = { settings: "`stamp: true`", options: { stamp: true } };

export const plain = tracklet({ name: "tracklet", settings: "nothing", options: {} });
export const stamped = tracklet({ name: "tracklet, `stamp: true`", ...STAMPED });
export const several = tracklet({
  ...STAMPED,
  name: "tracklet, `stamp: true`, several in a request",
  settings: "`stamp: true`; the service answers with `Tracklet-Batch: 1000`",
  headers: { "tracklet-batch": "1000", "access-control-expose-headers": "Retry-After, Tracklet-Batch" },
});
