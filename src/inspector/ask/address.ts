/** What an address of the service says by itself, before any answer. */
import { attempt } from "../../shared/attempt.js";

/** Does a browser trust this machine's own addresses without `https`? */
const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(hostname);

/** Addresses of networks of one's own (RFC 1918, RFC 3927, RFC 4193, RFC 4291), and names that only such networks know. */
const LOCAL =
  /^(10|127|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^\[(f[cd]|fe[89ab]).*\]$|^[^.]+$|\.(test|local|lan|internal|invalid|home\.arpa)$/i;

/**
 * Where a service is that a page of the internet asks for further inside: browsers ask the visitor first, or refuse (WICG,
 * Local Network Access). What a name stands for no page can know.
 *
 * @returns `""` where the page is no page of the internet, or the service is there as well
 */
export const insideOf = (address: string, origin: string): "on this computer" | "in a local network" | "" => {
  const isLocal = (url: URL): boolean => isLoopback(url) || LOCAL.test(url.hostname);
  if (!address || !/^https?:/.test(origin) || isLocal(new URL(origin)) || !isLocal(new URL(address))) return "";
  return isLoopback(new URL(address)) ? "on this computer" : "in a local network";
};

/** Where a service takes events, if the options name no path. */
export const EVENT_PATH = "/v1/track/event";

/** The address of the endpoint that options name, in full; `""` where they name none. */
export const addressOf = ({ trackUrl, eventPath }: { trackUrl?: unknown; eventPath?: unknown } = {}): string => {
  const path = `${eventPath || EVENT_PATH}`.replace(/^\/*/, "/");
  return attempt(() => (trackUrl ? new URL(`${trackUrl}`.replace(/\/*$/, "") + path, location.href).href : "")) ?? "";
};

/** Does the browser forbid a page at `origin` to ask there, because the page is `https` and the address is not? */
export const isMixed = (address: string, origin: string): boolean =>
  origin.startsWith("https:") && address.startsWith("http:") && !isLoopback(new URL(address));

/** Is it an address of the page's own site? */
export const isOwnSite = (address: string, origin: string): boolean => address.startsWith(`${origin}/`);
