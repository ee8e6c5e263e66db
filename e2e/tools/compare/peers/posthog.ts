import { PEERS, peerScript } from "../../../../test/support/peers.js";
import type { Peer } from "../peer.js";

interface Captured {
  event: string;
  uuid: string;
}

export const posthog: Peer = {
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
