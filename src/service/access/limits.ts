import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
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

/** Connections of one network at a time: of an office with thousands, who all look at one page. */
const MAX_CONNECTIONS = 1_000;
/** Of all networks together, in each process: a server has files for so many, and for its database. */
const MAX_ALL = 10_000;
/** Milliseconds without a request after which a connection is taken for unused once the service closes. */
const LINGER_MS = 1_000;
/** Milliseconds that requests under way get to finish after that: with it and the closing of the database it is over in 5 s. */
const GRACE_MS = 3_000;
/** Turns of the event loop in which the service waits for one without a new connection. */
const MAX_TURNS = 1_000;

interface Connection {
  /** What it is answered with now; not longer, or old ones would fill the memory. */
  response: ServerResponse | undefined;
  /** Those of its network, itself among them; the one whose request is the latest stands last. */
  beside: Set<Socket> | undefined;
}

interface Keeping {
  /** Is an address a web server in front, or this machine? Their connections are those of others, and not bounded. */
  isOurs(address: string): boolean;
  /** Connections of one network, and of all. Default: 1,000 and 10,000 */
  most?: number;
  all?: number;
  /** Milliseconds for which a connection without a request is kept once the service closes. Default: 1 s */
  lingerMs?: number | undefined;
  /** Is called first of all when it closes. */
  begins(): void;
  /** Is called when no connection is taken any more. */
  listensNoMore(): void;
}

/**
 * Bounds the open connections of each client's network, and of all. Beyond a bound the one is closed whose last request is the
 * oldest: of this network, or of the one that has most, so that who comes anew gets in.
 *
 * Lets go of them when the service closes, and cuts no request. A client that keeps a connection may send on it
 * at the moment in which it is closed, so the service goes on for a while, and each answer ends its connection: who is
 * told so sends nothing more on it. What carries no request meanwhile is let go, and only then no connection is taken
 * any more. Node's own closing cuts the first at once, and waits for those that never carried a request.
 */
export const keepConnections = (
  app: FastifyInstance,
  { isOurs, most = MAX_CONNECTIONS, all = MAX_ALL, lingerMs = LINGER_MS, begins, listensNoMore }: Keeping,
): void => {
  const open = new Map<Socket, Connection>();
  const networks = new Map<string, Set<Socket>>();
  let bounded = 0;
  let taken = 0;
  let closing = false;
  let whenEmpty = (): void => {};

  const close = (sockets: Set<Socket>): void => {
    const [oldest] = sockets;
    sockets.delete(oldest!);
    oldest!.destroy();
  };
  /** Puts one among those of its network. @returns takes it out */
  const bound = (socket: Socket, network: string): [beside: Set<Socket>, leave: () => void] => {
    const beside = networks.get(network) ?? new Set();
    networks.set(network, beside.add(socket));
    bounded += 1;
    if (beside.size > most) close(beside);
    else if (bounded > all) close([...networks.values()].reduce((a, b) => (b.size > a.size ? b : a)));
    const leave = (): void => {
      bounded -= 1;
      beside.delete(socket);
      if (beside.size === 0 && networks.get(network) === beside) networks.delete(network);
    };
    return [beside, leave];
  };
  const letGoWhenUnused = async (socket: Socket): Promise<void> => {
    await pass(lingerMs);
    if (open.get(socket)?.response === undefined) socket.destroy();
  };
  app.server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    const [beside, leave] = isOurs(remoteAddress) ? [] : bound(socket, networkOf(remoteAddress));
    open.set(socket, { response: undefined, beside });
    taken += 1;
    socket.once("close", () => {
      open.delete(socket);
      leave?.();
      if (open.size === 0) whenEmpty();
    });
    if (closing) void letGoWhenUnused(socket);
  });
  app.server.prependListener("request", ({ socket }, response) => {
    const connection = open.get(socket)!;
    connection.response = response;
    if (connection.beside?.delete(socket)) connection.beside.add(socket);
    if (closing) response.shouldKeepAlive = false;
    response.once("close", () => {
      if (connection.response === response) connection.response = undefined;
    });
  });
  app.addHook("preClose", async () => {
    closing = true;
    begins();
    for (const [socket, { response }] of open) {
      // Who was promised a kept connection, before, may be sending on it.
      if (response?.headersSent === false) response.shouldKeepAlive = false;
      void letGoWhenUnused(socket);
    }
    const empty = new Promise<void>((resolve) => (whenEmpty = resolve));
    if (open.size > 0) await Promise.race([empty, pass(lingerMs)]);
    await untilNoneConnects(() => taken);
    listensNoMore();
    // One that is handed its connections does not count them: its end would not wait for requests under way.
    if (!app.server.listening && open.size > 0)
      await Promise.race([new Promise<void>((resolve) => (whenEmpty = resolve)), pass(GRACE_MS)]);
    void setTimeout(GRACE_MS, undefined, { ref: false }).then(() => app.server.closeAllConnections());
  });
};

/**
 * The system resets what waits to be taken when a server stops to listen: next to nothing after a turn without any.
 *
 * @param taken how many connections were taken
 */
export const untilNoneConnects = async (taken: () => number): Promise<void> => {
  for (let turn = 0, before = -1; turn < MAX_TURNS && before !== taken(); turn += 1) {
    before = taken();
    await setImmediate();
  }
};

/** Lets time pass, and then all be read that has arrived: timers come before it, immediates right after it. */
const pass = async (milliseconds: number): Promise<void> => {
  await setTimeout(milliseconds, undefined, { ref: false });
  await setImmediate();
};

/** Bytes of all bodies under way that are held at a time, in each process, or four of the largest. */
const MAX_HELD = 64 * 2 ** 20;
/** What a piece takes beside its bytes, so that bodies that come letter by letter count for what they cost. */
const PIECE = 256;

interface Body {
  network: string;
  began: number;
  bytes: number;
  cut(): void;
}

export interface Holding {
  add(bytes: number): void;
  end(): void;
}

/** Is told of each body: its client's network, and how to refuse it. */
export type Hold = (network: string, cut: () => void) => Holding;

/**
 * Bounds the bytes of all bodies that are under way: who begins many and ends none fills no memory. Beyond the bound, the
 * slowest body of the network that holds most is cut, so that nobody is shut out by another one.
 *
 * @param largest bytes of the largest body that is taken
 */
export const createHeld = (largest: number): Hold => {
  const most = Math.max(MAX_HELD, 4 * largest);
  const bodies = new Set<Body>();
  let held = 0;

  const drop = (body: Body): void => {
    if (bodies.delete(body)) held -= body.bytes;
  };
  const slowest = (): Body => {
    const sums = new Map<string, number>();
    for (const { network, bytes } of bodies) sums.set(network, (sums.get(network) ?? 0) + bytes);
    const [greediest] = [...sums].reduce((a, b) => (b[1] > a[1] ? b : a));
    const now = performance.now();
    const speed = ({ bytes, began }: Body) => bytes / (now - began);
    return [...bodies].filter(({ network }) => network === greediest).reduce((a, b) => (speed(b) < speed(a) ? b : a));
  };

  return (network, cut) => {
    const body = { network, began: performance.now(), bytes: 0, cut };
    bodies.add(body);
    return {
      add: (bytes) => {
        if (!bodies.has(body)) return;
        body.bytes += bytes + PIECE;
        held += bytes + PIECE;
        while (held > most) {
          const one = slowest();
          drop(one);
          one.cut();
        }
      },
      end: () => drop(body),
    };
  };
};
