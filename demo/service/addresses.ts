import { isIP } from "node:net";
import { StartError } from "./start-error.js";

/** The proxies that a variable lists. */
export const proxies = (value: string | undefined): string[] => {
  if (value === undefined) return [];
  const list = value.split(",").map((one) => one.trim());
  for (const one of list) {
    const [address = "", bits, ...rest] = one.split("/");
    const isAddress = isIP(address) !== 0 && rest.length === 0 && (bits === undefined || isPrefix(bits, isIP(address)));
    if (!isAddress && !/^(loopback|linklocal|uniquelocal)$/.test(one))
      throw new StartError(
        `TRACKLET_TRUST_PROXY must be IP addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas, but has "${one}"`,
      );
  }
  return list;
};

const isPrefix = (bits: string, family: number): boolean =>
  /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);

/** An address without a slash at its end. */
export const webAddress = (name: string, value: string | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.origin + url.pathname !== url.href)
    throw new StartError(`${name} must be an address such as https://track.example.com, but is "${value}"`);
  return url.href.replace(/\/$/, "");
};

/** The URL of a PostgreSQL server. */
export const databaseUrl = (value: string | undefined): string | undefined => {
  if (value === undefined) return undefined;
  // The value itself is not repeated: it may hold a password.
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol))
    throw new StartError("DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database");
  return value;
};
