import ipaddr from "ipaddr.js";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import type { ServiceConfig } from "./config.js";
import { HttpError } from "./errors.js";

/** Bytes that an event counts for at least: about what its row takes beside its params. */
const MIN_BYTES = 512;
const DAY_S = 86_400;
const MEGABYTE = 1_000_000;

/** Who sends an event, and the bytes of its body. */
export interface Load {
  address: string;
  workspace: string;
  bytes: number;
}

/**
 * Counts what one address, and one workspace with its tokens, stores in a day that begins with their first event. The
 * count is this process's own.
 *
 * @returns resolves where the event may be stored, and throws the answer 429 where it may not
 */
export const createQuota = ({
  addressQuota,
  tokenQuota,
}: Pick<ServiceConfig, "addressQuota" | "tokenQuota">): ((load: Load) => Promise<void>) => {
  const limits = [
    { megabytes: addressQuota, keyOf: ({ address }: Load) => networkOf(address), whose: "this address" },
    { megabytes: tokenQuota, keyOf: ({ workspace }: Load) => workspace, whose: "this token" },
  ]
    .filter(({ megabytes }) => megabytes > 0)
    .map((limit) => ({
      ...limit,
      counter: new RateLimiterMemory({ points: limit.megabytes * MEGABYTE, duration: DAY_S }),
    }));
  return async (load) => {
    for (const { counter, keyOf, megabytes, whose } of limits)
      await counter.consume(keyOf(load), Math.max(MIN_BYTES, load.bytes)).catch(({ msBeforeNext }: RateLimiterRes) => {
        throw new HttpError(429, `the ${megabytes} MB a day of ${whose} are used up`, {
          "retry-after": String(Math.ceil(msBeforeNext / 1_000)),
        });
      });
  };
};

/** Whoever has an address of IPv6 has 2⁶⁴ of them: they count as one. */
const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(":");
};
