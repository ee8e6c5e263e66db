import { BlockList, isIP } from "node:net";
import { remembering } from "./exact-text.js";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Is this host, an address or a name, one that only this machine reaches? */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(bare);
  // Names below localhost never leave the machine either (RFC 6761 §6.3).
  if (family === 0) return /^(.+\.)?localhost$/i.test(bare);
  return LOOPBACK.check(bare, family === 6 ? "ipv6" : "ipv4");
};

/** The same of the host in a `Host` header field or an origin: every request asks, mostly about the same one. */
export const isLoopbackAddress = remembering(
  (address) => URL.canParse(address) && isLoopback(new URL(address).hostname),
  1,
);
