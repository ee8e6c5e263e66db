/** Why requests have no answer that can be read: the page's policy, CORS, a redirect, a service that hangs, or none there. */
import { insideOf, withoutTls } from "./address.js";

/** `"asked"`, `"refused"`: the visitor is to allow requests into a local network, or has not. */
export type Silence =
  | "unknown"
  | "asked"
  | "refused"
  | "policy"
  | "cors"
  | "redirect"
  | "hang"
  | "plain"
  | "unreachable";

/** The browser tells of a violation about when a request fails: a moment more, and it surely has. Milliseconds. */
const VIOLATION_MS = 250;
/** A service that says nothing for so long hangs. Milliseconds. */
const HANG_MS = 3_000;

export const withoutQuery = (url: string): string => url.replace(/[?#].*/, "");

/** A request of a tracker, whatever its address is. */
export const isOfTracker = (url: string): boolean => /[?&]api_token=/.test(url);

/** What comes back: nothing, where nothing answers or the page may not read it. */
const ask = (address: string, options: RequestInit): Promise<Response | "hang" | undefined> => {
  const signal = AbortSignal.timeout(HANG_MS);
  const request = { credentials: "omit", referrerPolicy: "origin", cache: "no-store", signal, ...options } as const;
  return fetch(address, request).catch(() => (signal.aborted ? "hang" : undefined));
};

/** Has the visitor allowed this page to ask there? The names of permissions are those of Chromium 145, and of 142. */
const readAccess = async (place: string): Promise<PermissionState | "unknown"> => {
  for (const name of [place === "on this computer" ? "loopback-network" : "local-network", "local-network-access"])
    try {
      return (await navigator.permissions.query({ name: name as PermissionName })).state;
    } catch {
      // This browser has none of that name.
    }
  return "unknown";
};

const explain = async (address: string): Promise<Silence> => {
  const place = insideOf(address, location.origin);
  const access = place ? await readAccess(place) : "granted";
  // Asking would have the browser ask the visitor.
  if (access !== "granted") return access === "denied" ? "refused" : "asked";
  // Without an event, so that there is no preflight: what it meets is not what this meets.
  const read = await ask(address, { redirect: "manual" });
  if (read === "hang") return "hang";
  if (read?.type === "opaqueredirect") return "redirect";
  // Whoever may read it.
  if (read || (await ask(address, { mode: "no-cors" })) instanceof Response) return "cors";
  const plain = withoutTls(address, location.origin);
  return plain && (await ask(plain, { mode: "no-cors" })) instanceof Response ? "plain" : "unreachable";
};

/**
 * @param tell called with the reason, and the address of the request
 * @returns what looks for the reason of a request that has just failed, and what ends the watching
 */
export const watchSilence = (tell: (silence: Silence, address: string) => void) => {
  /** When the browser itself has told the reason. */
  let knownAt = Number.NEGATIVE_INFINITY;
  const know = (reason: Silence, url: string): void => {
    knownAt = performance.now();
    tell(reason, withoutQuery(url));
  };
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective === "connect-src" && isOfTracker(blockedURI)) know("policy", blockedURI);
  };
  document.addEventListener("securitypolicyviolation", onViolation);
  return {
    know,
    /** @param isOpen whether a request may still be under way: then it is no reason that nothing can be read */
    explain: (address: string, isOpen = false): void => {
      setTimeout(async () => {
        if (!navigator.onLine || !address || performance.now() - knownAt < 10 * VIOLATION_MS) return;
        const reason = await explain(address);
        if (!isOpen || /hang|asked|refused/.test(reason)) tell(reason, address);
      }, VIOLATION_MS);
    },
    end: (): void => document.removeEventListener("securitypolicyviolation", onViolation),
  };
};
