import type { FastifyInstance } from "fastify";
import ipaddr from "ipaddr.js";
import type { ServiceConfig } from "../config/options.js";
import { DAY_MS } from "../config/time-argument.js";
import { type Counter, createCounter } from "./counter.js";
import { HttpError } from "./errors.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Is the route for everybody, however often? */
    unlimited?: boolean;
  }
}

/** Bytes that an event counts for at least: about what its row takes beside its params. */
const MIN_BYTES = 512;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;
/**
 * Networks of IPv6 whose bytes are counted, by the bits of their addresses, and how many times an address's day they have:
 * what one household, and one site, is given. An address of IPv4 has one day in each of them.
 */
const NETWORKS = [
  { bits: 64, days: 1, what: "this address" },
  { bits: 56, days: 4, what: "this network of 56 bits" },
  { bits: 48, days: 16, what: "this network of 48 bits" },
];
/** The part of its day up to which an address is taken in whatever the others have used. */
const SMALL = 0.01;

/** @throws HttpError 429 where a key may not use so much more now */
const refuseAbove = (counter: Counter, key: string, { points, what }: { points: number; what: string }): void => {
  const wait = counter.wait(key, points);
  if (wait > 0) throw new HttpError(429, what, { "retry-after": String(Math.ceil(wait / 1_000)) });
};

/** Refuses what one address asks above so many requests a minute. */
export const limitRequests = (app: FastifyInstance, { rateLimit }: Pick<ServiceConfig, "rateLimit">): void => {
  if (rateLimit === 0) return;
  const counter = createCounter({ points: rateLimit, windowMs: MINUTE_MS });
  app.addHook("onRequest", async ({ ip, routeOptions }) => {
    if (routeOptions.config.unlimited) return;
    const network = networkOf(ip);
    refuseAbove(counter, network, { points: 1, what: "too many requests, try again within a minute" });
    counter.add(network, 1);
  });
};

/** Who sends events, and what they count for together. */
export interface Load {
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
 * hour at most; who has sent little not even then.
 *
 * @returns counts events, or throws the answer 429; what that returns gives so much of it back to the workspace
 */
export const createQuota = ({
  addressQuota,
  tokenQuota,
}: Pick<ServiceConfig, "addressQuota" | "tokenQuota">): ((load: Load) => (points: number) => void) => {
  if (addressQuota === 0 && tokenQuota === 0) return () => () => {};
  const networks = NETWORKS.map(({ bits, days, what }) => ({
    bits,
    counter: createCounter({ points: addressQuota * days * MEGABYTE || Number.POSITIVE_INFINITY, windowMs: DAY_MS }),
    what: `the ${addressQuota * days} MB a day of ${what} are used up`,
  }));
  const hourly = (tokenQuota * MEGABYTE) / 24 || Number.POSITIVE_INFINITY;
  const ofWorkspace = createCounter({ points: hourly, windowMs: HOUR_MS, saved: 23 });
  const used = `of the ${tokenQuota} MB a day of this token, those of this hour are used up`;
  const small = (addressQuota || tokenQuota) * MEGABYTE * SMALL;

  return ({ address, workspace, points }) => {
    const counted = address === undefined ? [] : networks.map((one) => ({ ...one, key: networkOf(address, one.bits) }));
    for (const { counter, key, what } of counted) refuseAbove(counter, key, { points, what });
    const isSmall = counted.length > 0 && counted.every(({ counter, key }) => counter.used(key) + points <= small);
    if (!isSmall) refuseAbove(ofWorkspace, workspace, { points, what: used });
    for (const { counter, key } of counted) counter.add(key, points);
    ofWorkspace.add(workspace, points);
    return (back) => ofWorkspace.add(workspace, -back);
  };
};

/** Whoever has an address of IPv6 has 2⁶⁴ of them, which count as one; the first bits of an address name larger networks. */
export const networkOf = (address: string, bits = 64): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts as [number, number, number, number];
  return [a, b, c, d & (0xffff << (64 - bits))].join(":");
};
