/** Why requests have no answer: the page's policy, a service that does not allow the page or speaks no `https`, or none there. */
import { withoutTls } from "./address.js";

export type Silence = "unknown" | "policy" | "cors" | "plain" | "unreachable";

/** The browser tells of a violation about when a request fails: a moment more, and it surely has. Milliseconds. */
const VIOLATION_MS = 250;

export const withoutQuery = (url: string): string => url.replace(/[?#].*/, "");

/** A request of a tracker, whatever its address is. */
export const isOfTracker = (url: string): boolean => /[?&]api_token=/.test(url);

/** Does anything answer there, whoever may read it? */
const isAnswering = (address: string): Promise<boolean> =>
  fetch(address, { mode: "no-cors", credentials: "omit", referrerPolicy: "origin", cache: "no-store" }).then(
    () => true,
    () => false,
  );

const ask = async (address: string): Promise<Silence> => {
  if (await isAnswering(address)) return "cors";
  const plain = withoutTls(address, location.origin);
  return plain && (await isAnswering(plain)) ? "plain" : "unreachable";
};

/**
 * @param tell called with the reason, and the address of the request
 * @returns what looks for the reason of a request that has just failed, and what ends the watching
 */
export const watchSilence = (tell: (silence: Silence, address: string) => void) => {
  let violatedAt = Number.NEGATIVE_INFINITY;
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective !== "connect-src" || !isOfTracker(blockedURI)) return;
    violatedAt = performance.now();
    tell("policy", withoutQuery(blockedURI));
  };
  document.addEventListener("securitypolicyviolation", onViolation);
  return {
    explain: (address: string): void => {
      setTimeout(async () => {
        if (!navigator.onLine || !address || performance.now() - violatedAt < 10 * VIOLATION_MS) return;
        tell(await ask(address), address);
      }, VIOLATION_MS);
    },
    end: (): void => document.removeEventListener("securitypolicyviolation", onViolation),
  };
};
