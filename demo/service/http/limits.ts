import type { FastifyInstance } from "fastify";
import ipaddr from "ipaddr.js";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import type { ServiceConfig } from "../config/options.js";
import { HttpError } from "./errors.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Is the route for everybody, however often? */
    unlimited?: boolean;
  }
}

/** Bytes that an event counts for at least: about what its row takes beside its params. */
const MIN_BYTES = 512;
const DAY_S = 86_400;
const MEGABYTE = 1_000_000;

/** Spends something of what a key has; throws the answer 429 where that is used up. */
type Spend = (key: string, points: number) => Promise<void>;

/** @param what is said where it is used up; the time begins with a key's first use, and the count is this process's own */
const createLimit = (points: number, duration: number, what: string): Spend => {
  if (points === 0) return async () => {};
  const counter = new RateLimiterMemory({ points, duration });
  return async (key, used) => {
    await counter.consume(key, used).catch(({ msBeforeNext }: RateLimiterRes) => {
      throw new HttpError(429, what, { "retry-after": String(Math.ceil(msBeforeNext / 1_000)) });
    });
  };
};

/** Refuses what one address asks above so many requests a minute. */
export const limitRequests = (app: FastifyInstance, { rateLimit }: Pick<ServiceConfig, "rateLimit">): void => {
  const spend = createLimit(rateLimit, 60, "too many requests, try again within a minute");
  app.addHook("onRequest", async ({ ip, routeOptions }) => {
    if (!routeOptions.config.unlimited) await spend(networkOf(ip), 1);
  });
};

/** Who sends an event, and the bytes of its body. */
export interface Load {
  address: string;
  workspace: string;
  bytes: number;
}

/** Counts what one address, and one workspace with its tokens, stores in a day. */
export const createQuota = ({
  addressQuota,
  tokenQuota,
}: Pick<ServiceConfig, "addressQuota" | "tokenQuota">): ((load: Load) => Promise<void>) => {
  const limit = (megabytes: number, whose: string) =>
    createLimit(megabytes * MEGABYTE, DAY_S, `the ${megabytes} MB a day of ${whose} are used up`);
  const [ofAddress, ofToken] = [limit(addressQuota, "this address"), limit(tokenQuota, "this token")];
  return async ({ address, workspace, bytes }) => {
    const counted = Math.max(MIN_BYTES, bytes);
    await ofAddress(networkOf(address), counted);
    await ofToken(workspace, counted);
  };
};

/** Whoever has an address of IPv6 has 2⁶⁴ of them: they count as one. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(":");
};
