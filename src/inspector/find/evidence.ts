/** All that the panel has looked at, and what a step of the walk makes of it. */
import type { Activity, Exchange } from "../watch/activity.js";
import type { Page } from "../watch/page.js";
import type { Stored } from "../watch/stored.js";

export interface Evidence {
  page: Page;
  stored: Stored;
  activity: Activity;
}

/** What a step sees. */
export interface Look {
  /** `"waits"`: nothing is wrong, and nothing goes on before something happens. `"unknown"`: nothing of it is to be seen. */
  state: "good" | "bad" | "waits" | "unknown";
  /** What is there, word for word. */
  seen: string;
  /** What is wrong and what to do, by what was looked at, the likeliest first; of a good step what is worth knowing. */
  causes: string[];
}

/** A cause, where what was looked at says so. */
export type Cause = string | boolean | number | null | undefined;

const look =
  (state: Look["state"]) =>
  (seen: string, ...causes: Cause[]): Look => ({
    state,
    seen,
    causes: causes.filter((cause) => typeof cause === "string" && cause !== "") as string[],
  });
export const good = look("good");
export const bad = look("bad");
export const waits = look("waits");
export const unknown = look("unknown");

/** Bad where there is a cause. */
export const judge = (seen: string, causes: Cause[]): Look => (causes.some(Boolean) ? bad : good)(seen, ...causes);

/** The options in force, as the tracker tells them; before it does, those of its tag. */
export const optionsOf = ({ page, activity }: Evidence): Record<string, unknown> =>
  (activity.options ?? page.tags[0]?.options ?? {}) as Record<string, unknown>;

/** Can no answer be read? */
export const isBlind = (evidence: Evidence): boolean => optionsOf(evidence).contentType === "text/plain";

/** Is it the type of a web page? */
export const isPage = (type: string): boolean => type.includes("html");

export const isGood = (status: number): boolean => status >= 200 && status < 300;

/** The last request that has ended so; while a pause stands, the one that led to it. */
export const lastOf = ({ stored, activity }: Evidence): Exchange | undefined =>
  activity.exchanges.find(({ status }) => status >= 0 && (stored.pauseMs === 0 || !isGood(status)));

export const hasRequests = ({ activity }: Evidence): boolean => activity.isRecorded || activity.exchanges.length > 0;

/** Has the service taken an event, and nothing stood against it since? */
export const isProven = (evidence: Evidence): boolean =>
  evidence.stored.pauseMs === 0 && evidence.activity.exchanges.some(({ status }) => isGood(status));

/** So much quiet, in milliseconds, says that something is missing; in a page that still loads, more does. */
const QUIET_MS = 5_000;
const LOADING_MS = 20_000;

/** Is it too early to miss anything? On a slow machine a script, a call or a request may be under way for seconds. */
export const isEarly = ({ page, activity }: Evidence): boolean =>
  activity.quietMs < (page.isLoaded ? QUIET_MS : LOADING_MS);

export const isRunning = ({ page }: Evidence): boolean => page.global === "idle" || page.global === "running";

/** The page's policy that has forbidden something at an address that begins so, word for word. */
export const policyOn = ({ activity, page }: Evidence, directive: string, url: string): Cause => {
  const found = activity.violations.find(
    (one) => url && one.directive.startsWith(directive) && one.url.startsWith(url),
  );
  const where = page.metaPolicies.includes(found?.policy ?? "")
    ? "in a meta element of the page"
    : "in the page's header";
  return found && `The Content-Security-Policy ${where} forbids it: "${found?.policy}".`;
};
