/** What an address of the service says by itself, before any answer. */

/** Does a browser trust this machine's own addresses without `https`? */
const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(hostname);

/** The address of the endpoint that options name, in full; `""` where they name none. */
export const addressOf = ({ trackUrl, eventPath }: { trackUrl?: unknown; eventPath?: unknown } = {}): string => {
  const path = `${eventPath || "/v1/track/event"}`.replace(/^\/*/, "/");
  try {
    return trackUrl ? new URL(`${trackUrl}`.replace(/\/*$/, "") + path, location.href).href : "";
  } catch {
    return "";
  }
};

/** Does the browser forbid a page at `origin` to ask there, because the page is `https` and the address is not? */
export const isMixed = (address: string, origin: string): boolean =>
  origin.startsWith("https:") && address.startsWith("http:") && !isLoopback(new URL(address));

/** Is it an address of the page's own site? */
export const isOwnSite = (address: string, origin: string): boolean => address.startsWith(`${origin}/`);

/** The same address by `http`, where the page may ask there; `""` where it may not. */
export const withoutTls = (address: string, origin: string): string => {
  const plain = address.replace(/^https:/, "http:");
  return address.startsWith("https:") && !isMixed(plain, origin) ? plain : "";
};

/**
 * A name that should have been a host: without `https://` in front the browser takes it for a path of the page.
 *
 * @returns `""` where the address is on another host, or its path holds no such name
 */
export const hostInPath = (address: string, origin: string): string => {
  if (!isOwnSite(address, origin)) return "";
  const isHost = /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}(:\d+)?$/i;
  const isFile = /\.(php|aspx?|cgi|do|html?|js|json)$/i;
  const parts = address.slice(origin.length).split("/");
  return parts.find((part) => isHost.test(part) && !isFile.test(part)) ?? "";
};
