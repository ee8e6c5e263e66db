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

/** Bodies of page views and others, of 500 contacts. */
export const BODIES = Array.from({ length: 500 }, (_, number) =>
  JSON.stringify({
    contact_uid: `contact-${number}`,
    event_uid: ["pageview", "signup", "export"][number % 3],
    params: {
      account_uid: `account-${number % 50}`,
      visit_url: `https://shop.example/products/${number}`,
      display_name: "Product page",
    },
  }),
);

/** Posts events for some seconds. */
export const post = (url: string, duration: number): Promise<Load> =>
  load({
    url: `${url}/v1/track/event?api_token=demo-api-token`,
    duration,
    requests: BODIES.map((body) => ({ method: "POST", headers: { "content-type": "application/json" }, body })),
  });

/** Posts events for some seconds, so many in each request, by so many clients; gives events, not requests. */
export const postBatches = async (
  url: string,
  { duration, size, connections }: { duration: number; size: number; connections: number },
): Promise<Load> => {
  const bodies = Array.from({ length: 10 }, (_, at) =>
    Array.from({ length: size }, (_, number) => BODIES[(at * size + number) % BODIES.length]),
  );
  const answers = await load({
    url: `${url}/v1/track/events?api_token=demo-api-token`,
    duration,
    connections,
    requests: bodies.map((body) => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `[${body}]`,
    })),
  });
  return { ...answers, perSecond: answers.perSecond * size };
};
