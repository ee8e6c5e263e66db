import { readFileSync } from "node:fs";
import { ROOT } from "../../../../test/support/launch.js";
import type { Peer } from "../peer.js";

const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { version: string };

const tracklet = (name: string, settings: string, options: object): Peer => ({
  name,
  version,
  docs: "delivery.md",
  settings,
  script: () => readFileSync(`${ROOT}dist/tracklet.iife.js`, "utf8"),
  start: (trackUrl) => {
    const all = { apiToken: "token", trackUrl, contactUid: "contact-1", pageviews: "off", ...options };
    return `tracklet.push(["init", ${JSON.stringify(all)}]); window.record = (name) => tracklet.track(name);`;
  },
  read: ({ body }) => {
    const { event_uid, params } = JSON.parse(body);
    return [{ name: event_uid, id: params?.event_id }];
  },
  answer: '{"status":"success"}',
});

export const plain = tracklet("tracklet", "nothing", {});
export const stamped = tracklet("tracklet, `stamp: true`", "`stamp: true`", { stamp: true });
