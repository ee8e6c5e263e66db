/** What is counted of an address: the networks that stand for it. */
import ipaddr from "ipaddr.js";

/** Bits of the networks of IPv6 that stand for their addresses: a link, a household, a site. */
const BITS = [64, 56, 48] as const;
/** Addresses whose networks are remembered. */
const MAX_KNOWN = 10_000;
/** Characters of what a proxy says and is no address. */
const MAX_LENGTH = 64;

const known = new Map<string, readonly string[]>();

/**
 * The networks of an address, of 64 bits first: whoever has an address of IPv6 has 2⁶⁴ of them. One of IPv4 stands for itself alone.
 * They are remembered, for reading an address takes longer than all else that is done with it.
 */
export const networksOf = (told: string | undefined): readonly string[] => {
  // Of a socket that is gone already nobody knows it.
  const address = told ?? "";
  const found = known.get(address);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const networks = read(address);
  if (address.length <= MAX_LENGTH) known.set(address, networks);
  return networks;
};

/** The smallest of them, which counts as one client. */
export const networkOf = (address: string | undefined): string => networksOf(address)[0]!;

const read = (address: string): readonly string[] => {
  if (!ipaddr.isValid(address)) return [address.slice(0, MAX_LENGTH)];
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return [parsed.toString()];
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts as [number, number, number, number];
  return BITS.map((bits) => [a, b, c, d & (0xffff << (64 - bits))].join(":"));
};
