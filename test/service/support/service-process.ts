import { DEMO_TOKENS } from "../../../src/service/config/defaults.mjs";
import { launch } from "../../support/launch.js";

/** The built service. */
export const SERVICE = "build/service/main.js";
/** The same from its sources, or a command of it, with little time: what waits for a minute waits for seconds. */
export const SHORT_TIME = ["--import", "tsx", "test/service/support/short-time.ts"];

const METRICS_TOKEN = "test-metrics-token";
const FOR_TESTS = {
  TRACKLET_DEMO: "on",
  TRACKLET_METRICS_TOKEN: METRICS_TOKEN,
  TRACKLET_SERVICE_PORT: "0",
  // All comes from one address: a burst of one test is not refused for another's.
  TRACKLET_RATE_LIMIT: "0",
  TRACKLET_ADDRESS_QUOTA_MB: "0",
  TRACKLET_TOKEN_QUOTA_MB: "0",
  TRACKLET_ADDRESS_RECORDS: "0",
};
/** Reads from such a service. */
export const readAsDemo = (url: string): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${DEMO_TOKENS.accessToken}` } });
/** Sends an event to it. */
export const postAsDemo = (url: string, event_uid: string, more: object = {}): Promise<Response> =>
  fetch(`${url}/v1/track/event?api_token=${DEMO_TOKENS.apiToken}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ contact_uid: "contact-001", event_uid, ...more }),
  });
export const metricsOf = async (url: string): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text();

/** Processes have other ids than outside, as in a container; only the system's administrator may do so: empty elsewhere. */
export const IN_CONTAINER =
  process.getuid?.() === 0 && process.platform === "linux" ? ["unshare", "--pid", "--fork", "--mount-proc"] : [];

/**
 * Starts the service's process with an environment of its own, in its demo mode and unlimited unless that says otherwise.
 *
 * @param args of Node; the built service where absent
 * @param through a command that runs Node, such as `unshare --pid --fork`. Default: none
 */
export const spawnService = (
  environment: Record<string, string>,
  args: readonly string[] = [SERVICE],
  through: readonly string[] = [],
) => {
  const { PATH, HOME = "", TMPDIR = "/tmp" } = process.env;
  const [command, ...rest] = [...through, process.execPath, ...args];
  const launched = launch(command!, rest, { base: { PATH, HOME, TMPDIR }, env: { ...FOR_TESTS, ...environment } });
  return {
    ...launched,
    /** The address that it prints when it listens. */
    ready: async (): Promise<string> => (await launched.says(/service ready at ([^"\s]+)/))[1]!,
    stop: async (signal: NodeJS.Signals) => {
      await launched.end(signal);
      return launched.closed;
    },
  };
};
