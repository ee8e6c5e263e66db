import { randomUUID } from "node:crypto";
import autocannon from "autocannon";

/** Requests under way at a time. */
const CONNECTIONS = Number(process.env.CLIENTS ?? 64);

/** The answers of some seconds of load; latencies in milliseconds. */
export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Contacts that the events are of. */
const CONTACTS = 500;
let made = 0;

/** The next page view or other event, with a stamp of its own, as of the only event of a document. */
export const nextEvent = () => {
  const number = made++ % CONTACTS;
  return {
    contact_uid: `contact-${number}`,
    event_uid: ["pageview", "signup", "export"][number % 3]!,
    params: {
      account_uid: `account-${number % 50}`,
      visit_url: `https://shop.example/products/${number}`,
      display_name: "Product page",
      event_id: randomUUID(),
      occurred_at: Date.now(),
      event_source: randomUUID(),
      event_seq: 1,
    },
  };
};

/** Posts events for some seconds, or so many. Each is made when it is sent: what is sent again would be a repeat. */
export const post = async (url: string, much: { duration: number } | { amount: number }): Promise<Load> => {
  const request: autocannon.Request = {
    method: "POST",
    headers: { "content-type": "application/json" },
    setupRequest: (request) => ({ ...request, body: JSON.stringify(nextEvent()) }),
  };
  const target = { url: `${url}/v1/track/event?api_token=demo-api-token`, connections: CONNECTIONS };
  const { requests, latency, errors, non2xx } = await autocannon({ ...target, ...much, requests: [request] });
  if (errors + non2xx > 0) throw new Error(`${url}: ${errors} errors, ${non2xx} answers that were not 2xx`);
  return { perSecond: requests.average, p50: latency.p50, p99: latency.p99 };
};
