import { randomUUID } from "node:crypto";
import autocannon from "autocannon";

/** Requests under way at a time. */
const CONNECTIONS = 64;

/** The answers of some seconds of load; latencies in milliseconds. */
export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

const load = async (options: autocannon.Options): Promise<Load> => {
  const { requests, latency, errors, non2xx } = await autocannon({ connections: CONNECTIONS, ...options });
  if (errors + non2xx > 0) throw new Error(`${options.url}: ${errors} errors, ${non2xx} answers that were not 2xx`);
  return { perSecond: requests.average, p50: latency.p50, p99: latency.p99 };
};

/** Contacts that the events are of. */
const CONTACTS = 500;
let made = 0;

/** As the script's: of the only event of its document. */
export const newStamp = () => ({
  event_id: randomUUID(),
  occurred_at: Date.now(),
  event_source: randomUUID(),
  event_seq: 1,
});

/** The next page view or other event, with a stamp of its own. */
export const nextEvent = () => {
  const number = made++ % CONTACTS;
  return {
    contact_uid: `contact-${number}`,
    event_uid: ["pageview", "signup", "export"][number % 3]!,
    params: {
      account_uid: `account-${number % 50}`,
      visit_url: `https://shop.example/products/${number}`,
      display_name: "Product page",
      ...newStamp(),
    },
  };
};
/** Its params, and what a row has of their stamp. */
export const paramsOf = ({ params }: ReturnType<typeof nextEvent>) => ({
  params: JSON.stringify(params),
  stamp: params.event_id,
  occurredAt: params.occurred_at,
});

/** A request whose body is made when it is sent: what is sent again would be a repeat. */
export const posting = (body: () => unknown): autocannon.Request => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  setupRequest: (request) => ({ ...request, body: JSON.stringify(body()) }),
});

/** Posts events for some seconds. */
export const post = (url: string, duration: number): Promise<Load> =>
  load({
    url: `${url}/v1/track/event?api_token=demo-api-token`,
    duration,
    requests: [posting(nextEvent)],
  });

/** Posts events for some seconds, so many in each request, by so many clients; gives events, not requests. */
export const postBatches = async (
  url: string,
  { duration, size, connections }: { duration: number; size: number; connections: number },
): Promise<Load> => {
  const answers = await load({
    url: `${url}/v1/track/events?api_token=demo-api-token`,
    duration,
    connections,
    requests: [posting(() => Array.from({ length: size }, nextEvent))],
  });
  return { ...answers, perSecond: answers.perSecond * size };
};
