import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { seed } from "../../../demo/records/fill.js";
import { createService, type ServiceOptions } from "../../../src/service/app.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import type { Row } from "../../support/service.js";
import { waitFor } from "../../support/wait.js";
import { openPlace } from "./database.js";

export const API_TOKEN = "tëst-api-token";
export const ACCESS_TOKEN = "test-access-token";
const METRICS_TOKEN = "test-metrics-token";

/** @param hasRecords whether the database gets the demo's records. Default `false`. */
export type StartOptions = ServiceOptions & { hasRecords?: boolean };

/** A real service on a port of its own, at an empty place unless the options name one. */
export const startService = async ({ hasRecords = false, ...options }: StartOptions = {}) => {
  const isElsewhere = options.database ?? options.databaseUrl ?? options.dataFolder;
  const own = isElsewhere === undefined ? await openPlace() : undefined;
  const place = { dataFolder: own?.dataFolder ?? "", databaseUrl: own?.databaseUrl };
  if (hasRecords) {
    options.database ??= await openDatabase({ ...place, ...options });
    await seed(options.database.query);
  }
  const app = await createService({
    ...place,
    apiToken: API_TOKEN,
    accessToken: ACCESS_TOKEN,
    metricsToken: METRICS_TOKEN,
    rateLimit: 0,
    addressQuota: 0,
    tokenQuota: 0,
    addressRecords: 0,
    logLevel: "error",
    lingerMs: 0,
    ...options,
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const get = (path: string, headers: Record<string, string> = { authorization: `Bearer ${ACCESS_TOKEN}` }) =>
    fetch(url + path, { headers });
  const posting =
    (path: string) =>
    (body: unknown, headers = {}, query = `?api_token=${encodeURIComponent(API_TOKEN)}`) =>
      fetch(`${url}/v1/track/${path}${query}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
      });
  return {
    app,
    url,
    /** Posts a body to `/v1/track/event`; text goes as it is, anything else as JSON. */
    post: posting("event"),
    /** The same to `/v1/track/events`. */
    several: posting("events"),
    get,
    json: async (path: string, headers?: Record<string, string>) => (await get(path, headers)).json(),
    metrics: async (): Promise<string> => (await get("/metrics", { authorization: `Bearer ${METRICS_TOKEN}` })).text(),
    /** The stored events of a contact, and their JSON text. */
    events: async (contactUid: string): Promise<{ rows: (Row & { proven?: boolean })[]; text: string }> => {
      const answer = await get(`/v2/events?contact_uid=${encodeURIComponent(contactUid)}&limit=10000`);
      const text = await answer.text();
      return { rows: JSON.parse(text).data, text };
    },
    /** Ends the service and leaves the data. */
    close: () => app.close(),
    stop: async () => {
      await app.close();
      await own?.leave();
    },
  };
};

export type RunningService = Awaited<ReturnType<typeof startService>>;

/** Waits until `probe` gives something truthy, a minute at most. */
export const until = <T>(probe: () => T | Promise<T>): Promise<NonNullable<T>> =>
  waitFor(probe, { what: String(probe), everyMs: 10 });

/** The header by which a server sends its token: `token:`. Any text is a stamp of an event then. */
export const basic = (pair: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}`,
});

/** A request with header fields that `fetch` keeps to itself, such as `Host`. */
export const ask = async (url: string, headers: Record<string, string>, method = "GET") => {
  const sent = request(url, { method, headers, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const bytes = await buffer(answer);
  return { status: answer.statusCode, headers: answer.headers, body: bytes.toString(), bytes };
};

/** The code of a request that was given up, as nothing was heard. */
export const SILENT = "silent";

/**
 * The status of an answer, or what has happened to a kept connection. "refused" is what a new one may meet as well: one that
 * nobody has taken yet when the service stops to listen is reset by the system, which knows no way to stop that misses none.
 */
export const outcomeOf = async (sent: ClientRequest): Promise<string> => {
  try {
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "end");
    return String(answer.statusCode);
  } catch (error) {
    const { code } = error as { code: string };
    return sent.reusedSocket || code === SILENT ? code : "refused";
  }
};
