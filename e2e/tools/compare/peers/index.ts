import type { Peer } from "../peer.js";
import { amplitude } from "./amplitude.js";
import { plausible } from "./plausible.js";
import { posthog } from "./posthog.js";
import { rudderstack } from "./rudderstack.js";
import { segment } from "./segment.js";
import { snowplow } from "./snowplow.js";
import { plain, several, unstamped } from "./tracklet.js";

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
