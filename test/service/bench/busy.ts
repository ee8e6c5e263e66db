import autocannon from "autocannon";
import type { Place } from "../support/places.js";
import { newStamp, posting } from "./load.js";
import { spawnOver } from "./spawn-over.js";

/** Minutes of load; `BUSY_MINUTES=60` is an hour. */
const MINUTES = Number(process.env.BUSY_MINUTES ?? 1);
const PER_SECOND = 1_000;
const ASKED_EVERY_MS = 1_000;
/** After the load nothing more comes: the sums have had time for what was behind. */
const REST_MS = 90_000;
/** So many contacts, of 300 accounts, and more paths in an hour than are counted one by one. */
const CONTACTS = 20_000;
const PATHS = 1_000;

let sent = 0;

const nextView = () => {
  const number = sent++ % CONTACTS;
  return {
    contact_uid: `contact-${number}`,
    event_uid: "pageview",
    params: {
      account_uid: `account-${number % 300}`,
      visit_url: `https://shop.example/products/${number % PATHS}`,
      display_name: "Product page",
      ...newStamp(),
    },
  };
};

/** A thousand page views a second for some minutes: how far the sums are behind meanwhile, by `GET /readyz`. */
export const busy = async (engine: string, place: Place): Promise<void> => {
  const service = spawnOver(place);
  const url = await service.ready();
  const behind: number[] = [];
  const timer = setInterval(async () => {
    const answer = await fetch(`${url}/readyz`);
    behind.push(((await answer.json()) as { sums_behind_seconds: number }).sums_behind_seconds);
  }, ASKED_EVERY_MS);
  const { requests, latency, errors, non2xx } = await autocannon({
    url: `${url}/v1/track/event?api_token=demo-api-token`,
    connections: 20,
    overallRate: PER_SECOND,
    duration: MINUTES * 60,
    requests: [posting(nextView)],
  });
  const atLoad = behind.length;
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  clearInterval(timer);
  await service.stop("SIGTERM");
  console.log(`\n${engine}: ${requests.total} page views in ${MINUTES} minutes`);
  console.table({
    "answered a second": requests.average,
    "no 2xx": errors + non2xx,
    "p99, ms": latency.p99,
    "sums behind at most, s": Math.max(...behind),
    "sums behind at the end of the load, s": behind[atLoad - 1],
    "sums behind at the end, s": behind.at(-1),
  });
};
