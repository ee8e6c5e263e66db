import type { FastifyInstance } from "fastify";
import { DAY_MS, HOUR_MS } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import { HttpError } from "../http/errors.js";
import { type Counter, createCounter } from "./counter.js";
import { networkOf, networksOf } from "./networks.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Is the route for everybody, however often? */
    unlimited?: boolean;
  }
}

/** Bytes that an event counts for at least: about what its row takes beside its params. */
const MIN_BYTES = 512;
const MINUTE_MS = 60_000;
const MEGABYTE = 1_000_000;
/**
 * What the networks of an address (`networks.ts`) are called, and how many times an address's day they have: what one household,
 * and one site, is given.
 */
const NETWORKS = [
  { days: 1, what: "this address" },
  { days: 4, what: "this network of 56 bits" },
  { days: 16, what: "this network of 48 bits" },
];
/** The part of its day up to which an address is taken in whatever the others have used. */
const SMALL = 0.01;
/** The part of a workspace's hour that strangers leave to the operator's servers. */
const OF_SERVERS = 0.1;

/** The answer 429 where a key may not use so much more now. */
const tooMuch = (
  counter: Counter,
  key: string,
  { points, what, reason }: { points: number; what: string; reason?: string },
): HttpError | undefined => {
  const wait = counter.wait(key, points);
  return wait > 0 ? new HttpError(429, what, { "retry-after": String(Math.ceil(wait / 1_000)) }, reason) : undefined;
};

/**
 * Refuses what one address asks above so many requests a minute.
 *
 * @returns counts more of a request, as one that holds several events is more than one; throws the answer 429
 */
export const limitRequests = (
  app: FastifyInstance,
  { rateLimit }: Pick<ServiceConfig, "rateLimit">,
): ((address: string, points: number) => void) => {
  if (rateLimit === 0) return () => {};
  const counter = createCounter({ points: rateLimit, windowMs: MINUTE_MS, shared: "requests" });
  const ask = (address: string, points: number): HttpError | undefined => {
    const network = networkOf(address);
    const error = tooMuch(counter, network, {
      points,
      what: "too many requests, try again within a minute",
      reason: "rate",
    });
    if (error === undefined) counter.add(network, points);
    return error;
  };
  app.addHook("onRequest", ({ ip, routeOptions }, _reply, done) => {
    done(routeOptions.config.unlimited ? undefined : ask(ip, 1));
  });
  return (address, points) => {
    const error = ask(address, points);
    if (error !== undefined) throw error;
  };
};

/** Who sends events, and what they count for together. */
interface Load {
  /** Of the client; none where it has the token of a server, which is no stranger. */
  address: string | undefined;
  workspace: string;
  points: number;
}

/** What an event counts for. @param bytes of its body */
export const pointsOf = (bytes: number): number => Math.max(MIN_BYTES, bytes);

/**
 * Counts what one address with its networks, and one workspace with its tokens, stores in a day. A workspace's day is
 * given by the hour, and what an hour leaves is kept for a day, so that whoever uses it up shuts the others out for an
 * hour at most; who has sent little not even then. A tenth of it is for servers alone, which take it first.
 *
 * @returns `spend` counts events, or throws the answer 429; what that returns gives so much of it back to the workspace.
 *   `waste` counts what an address sent and is not stored.
 */
export const createQuota = ({ addressQuota, tokenQuota }: Pick<ServiceConfig, "addressQuota" | "tokenQuota">) => {
  if (addressQuota === 0 && tokenQuota === 0) return { spend: () => () => {}, waste: () => {} };
  const networks = NETWORKS.map(({ days, what }) => ({
    counter: createCounter({
      points: addressQuota * days * MEGABYTE || Number.POSITIVE_INFINITY,
      windowMs: DAY_MS,
      shared: what,
    }),
    what: `the ${addressQuota * days} MB a day of ${what} are used up`,
  }));
  const hourly = (tokenQuota * MEGABYTE) / 24 || Number.POSITIVE_INFINITY;
  const bucket = (part: number, shared: string) =>
    createCounter({ points: hourly * part, windowMs: HOUR_MS, saved: 23, shared });
  const [ofAll, ofServers] = [bucket(1 - OF_SERVERS, "workspaces"), bucket(OF_SERVERS, "servers")];
  const used = `of the ${tokenQuota} MB a day of this token, those of this hour are used up`;
  const small = (addressQuota || tokenQuota) * MEGABYTE * SMALL;

  const waste = (address: string, points: number): void => {
    for (const [at, key] of networksOf(address).entries()) networks[at]!.counter.add(key, points);
  };
  const spend = ({ address, workspace, points }: Load): ((points: number) => void) => {
    const keys = address === undefined ? [] : networksOf(address);
    const isReserved = address === undefined && ofServers.wait(workspace, points) === 0;
    const ofWorkspace = isReserved ? ofServers : ofAll;
    let error: HttpError | undefined;
    let isSmall = keys.length > 0;
    for (const [at, key] of keys.entries()) {
      const { counter, what } = networks[at]!;
      error ??= tooMuch(counter, key, { points, what });
      if (counter.used(key) + points > small) isSmall = false;
    }
    if (!isSmall) error ??= tooMuch(ofWorkspace, workspace, { points, what: used });
    if (error !== undefined) throw error;
    if (address !== undefined) waste(address, points);
    ofWorkspace.add(workspace, points);
    return (back) => ofWorkspace.add(workspace, -back);
  };
  return { spend, waste };
};
