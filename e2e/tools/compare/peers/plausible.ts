import { PEERS } from "../../../../test/support/peers.js";
import { plausibleWith } from "../../bench/plausible.js";
import type { Peer } from "../peer.js";

export const plausible: Peer = {
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
