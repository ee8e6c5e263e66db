import type { FastifyInstance } from "fastify";
import ipaddr from "ipaddr.js";
import { remembering } from "../base/exact-text.js";
import { DAY_MS, HOUR_MS } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import { isOfUnit, onUnit, tellUnit } from "../config/process-messages.js";
import { createLogLimit, HttpError } from "../http/error-answers.js";

/** Bits of the networks of IPv6 that stand for their addresses: a link, a household, a site. */
const BITS = [64, 56, 48] as const;
/** Characters of what a proxy says and is no address. */
const MAX_LENGTH = 64;

/**
 * The networks of an address, of 64 bits first: whoever has an address of IPv6 has 2⁶⁴ of them. One of IPv4 stands for itself alone.
 * They are remembered, for reading an address takes longer than all else that is done with it.
 */
const networksOf = remembering(
  (address): readonly string[] => {
    if (!ipaddr.isValid(address)) return [address.slice(0, MAX_LENGTH)];
    const parsed = ipaddr.process(address);
    if (parsed.kind() === "ipv4") return [parsed.toString()];
    const [a, b, c, d] = (parsed as ipaddr.IPv6).parts as [number, number, number, number];
    return BITS.map((bits) => [a, b, c, d & (0xffff << (64 - bits))].join(":"));
  },
  10_000,
  MAX_LENGTH,
);

/** The smallest of them, which counts as one client. @param address nobody knows that of a socket that is gone already */
export const networkOf = (address = ""): string => networksOf(address)[0]!;

/** Keys that are counted each for itself. */
const MAX_KEYS = 100_000;
/** The part of what a key may use that a process counts before it tells the others of its unit. */
const TOLD = 0.01;

export interface Counter {
  wait(key: string, points: number): number;
  used(key: string): number;
  /** Negative points are given back. */
  add(key: string, points: number): void;
}

interface CounterOptions {
  /** What a key may use in each window. */
  points: number;
  /** Milliseconds after which the next window begins, for all keys at once. */
  windowMs: number;
  /** Windows whose unused points are carried on. Default: none */
  saved?: number;
  maxKeys?: number;
  /** Under which the processes of a unit count together. Default: each for itself */
  shared?: string;
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}

/**
 * Counts what keys use, in bounded memory: where there are too many keys the smaller half of the counts
 * goes, and a key without a count begins at the largest that went. So a count is never too low, one that matters stays, and
 * none is too high by more than all that was counted, shared among half of the keys.
 *
 * Processes of a unit tell each other what a key has used in hundredths of what it may: so of all together it gets no more
 * than a hundredth too much for each of the others, and a key that uses little costs no message.
 */
export const createCounter = ({
  points: most,
  windowMs,
  saved = 0,
  maxKeys = MAX_KEYS,
  shared,
  now = () => performance.now(),
}: CounterOptions): Counter => {
  const counts = new Map<string, number>();
  const untold = new Map<string, number>();
  let gone = 0;
  let began = now();

  const turn = (): void => {
    const passed = Math.floor((now() - began) / windowMs);
    if (passed < 1) return;
    began += passed * windowMs;
    gone = 0;
    untold.clear();
    if (saved === 0) counts.clear();
    else for (const [key, used] of counts) counts.set(key, Math.max(used - passed * most, -saved * most));
  };
  const makeRoom = (): void => {
    const sorted = Float64Array.from(counts.values()).sort();
    const middle = sorted[sorted.length >> 1]!;
    for (const [key, used] of counts) if (used <= middle) counts.delete(key);
    gone = Math.max(gone, middle);
  };
  const used = (key: string): number => {
    turn();
    return counts.get(key) ?? gone;
  };
  const count = (key: string, points: number): void => {
    const sum = used(key) + points;
    if (counts.size >= maxKeys && !counts.has(key)) makeRoom();
    counts.set(key, sum);
  };
  const tell = (counter: string, key: string, points: number): void => {
    const sum = (untold.get(key) ?? 0) + points;
    if (untold.size >= maxKeys) untold.clear();
    if (Math.abs(sum) < most * TOLD) return void untold.set(key, sum);
    untold.delete(key);
    tellUnit({ kind: "counted", counter, key, points: sum });
  };
  onUnit("counted", ({ counter, key, points }) => {
    if (counter === shared) count(key, points);
  });
  return {
    used,
    wait: (key, points) => (used(key) + points > most ? began + windowMs - now() : 0),
    add: (key, points) => {
      count(key, points);
      if (isOfUnit && shared !== undefined) tell(shared, key, points);
    },
  };
};

declare module "fastify" {
  interface FastifyContextConfig {
    unlimited?: boolean;
  }
}

/** Bytes that an event counts for at least: about what its row takes beside its params. */
const MIN_BYTES = 512;
const MINUTE_MS = 60_000;
const MEGABYTE = 1_000_000;
/**
 * What the networks of an address are called, and how many times an address's day they have: what one household,
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

interface Load {
  /** Of the client; none where it has the token of a server, which is no stranger. */
  address: string | undefined;
  workspace: string;
  points: number;
}

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

/**
 * Says once where an event comes from a private network, and with `X-Forwarded-For`: the service seems to stand behind a web server
 * that it does not know. Then all visitors count as one address.
 */
export const tellUnseenProxy = (app: FastifyInstance, { trustProxy }: Pick<ServiceConfig, "trustProxy">): void => {
  if (trustProxy.length > 0) return;
  const told = createLogLimit(Number.POSITIVE_INFINITY);
  app.addHook("onRequest", (request, _reply, done) => {
    if (request.method !== "POST" || request.headers["x-forwarded-for"] === undefined) return done();
    const { ip } = request;
    if (ipaddr.process(ip).range() !== "unicast" && told("") === 1)
      app.log.warn(
        `events come from ${ip}, with X-Forwarded-For: if that is your web server, set TRACKLET_TRUST_PROXY=${ip} and TRACKLET_PUBLIC_URL; until then all visitors count as one address`,
      );
    done();
  });
};
