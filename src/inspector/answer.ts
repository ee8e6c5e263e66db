/** What the last answer means, or that there was none, in words. */
import type { Activity } from "./activity.js";

const KEPT = "Events are kept, and sent once that is put right.";

export const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Does an answer say that the page, or the service's deployment, must be corrected? */
export const isConfiguration = (status: number): boolean =>
  status >= 300 && status < 500 && ![408, 425, 429].includes(status);

/** Of a good status, with a web page in place of the service's own answer. */
export const OF_WEB_PAGE =
  "The answer is good, but it is a web page (HTML), not the service's: events are taken for delivered, and are most likely stored nowhere. Check data-track-url and data-event-path (trackUrl and eventPath of init).";

/**
 * A name that should have been a host: without `https://` in front the browser takes it for a path of the page.
 *
 * @returns `""` where the address is on another host, or its path holds no such name
 */
export const hostInPath = (address: string, origin: string): string => {
  if (!address.startsWith(`${origin}/`)) return "";
  const isHost = /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}(:\d+)?$/i;
  const isFile = /\.(php|aspx?|cgi|do|html?|js|json)$/i;
  const parts = address.slice(origin.length).split("/");
  return parts.find((part) => isHost.test(part) && !isFile.test(part)) ?? "";
};

/** @param status of an answer that is not good */
export const ofStatus = (status: number, address: string): string => {
  const at = address ? ` at ${address}` : "";
  if (status === 401 || status === 403)
    return `The service refuses the API token (status ${status}): check data-api-token. ${KEPT}`;
  if (status === 404 || status === 405)
    return `There is no event endpoint${at} (status ${status}): check data-track-url and data-event-path. ${KEPT}`;
  if (status >= 300 && status < 400)
    return `The address${at} redirects, which is not followed: name the address that it leads to. ${KEPT}`;
  if (status === 429) return "The service asks to send less (status 429). Events are kept and sent later.";
  if (status >= 500 || status === 408 || status === 425)
    return `The service fails (status ${status}). Events are kept and tried again.`;
  return `The service refuses what it is sent (status ${status}): check the event's name and members, and the API token.`;
};

export const ofSilence = ({ silence, address }: Activity): string => {
  const at = address || "the service";
  if (silence === "policy")
    return `The page's Content-Security-Policy forbids requests to ${at}: name it in connect-src. ${KEPT}`;
  if (silence === "cors")
    return `Something answers at ${at}, but does not allow this page to read it (CORS): the service must send Access-Control-Allow-Origin and allow the Content-Type header. ${KEPT}`;
  if (silence === "unreachable")
    return `Nothing answers at ${at}: check the address, whether the service runs, and whether an extension of the browser blocks it. Events are kept and tried again.`;
  return "The last request had no answer. Events are kept and tried again.";
};
