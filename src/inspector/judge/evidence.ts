/** All that the panel has looked at, what follows from it, and what a step of the walk makes of it. */
import { isOn } from "../../shared/option-values.js";
import type { Activity } from "../watch/activity.js";
import type { Page } from "../watch/page-state.js";
import type { Stored } from "../watch/stored.js";

/** What was looked at. */
type Seen = { page: Page; stored: Stored; activity: Activity };

/** `"waits"`: nothing is wrong, and nothing goes on before something happens. `"unknown"`: nothing of it is to be seen. */
export type State = "good" | "bad" | "waits" | "unknown";

/** What a step sees, word for word; and what is wrong and what to do, or, of a good step, what is worth knowing. */
export type Look = { state: State; seen: string; causes: string[] };

/** A cause, where what was looked at says so. */
export type Cause = string | boolean | number | null | undefined;

const look = (state: State) => {
  return (seen: string, ...all: Cause[]): Look => ({
    state,
    seen,
    causes: [...new Set(all)].filter((one) => one && `${one}` === one) as string[],
  });
};
export const [good, bad, waits, unknown] = [look("good"), look("bad"), look("waits"), look("unknown")];

/** Bad where there is a cause. */
export const judge = (seen: string, causes: Cause[]): Look => (causes.some(Boolean) ? bad : good)(seen, ...causes);

export const isPage = (type: string): boolean => type.includes("html");

export const isGood = (status: number): boolean => status >= 200 && status < 300;

export const dayOf = (epoch: number): string => new Date(epoch).toLocaleDateString("en", { dateStyle: "long" });

export const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

export const isOwnSite = (address: string, origin: string): boolean => address.startsWith(`${origin}/`);

/** Why nothing may be stored or sent, in words; `""` where nothing forbids it. */
const denialOf = ({ page, stored, activity }: Seen, consent: string, options: Record<string, unknown>): string => {
  if (stored.mutedUntil) return `The visits of this browser are left out until ${dayOf(stored.mutedUntil)}`;
  if (isOn(options.mute)) return "The option mute is on in this document";
  if (consent === "denied") return 'The option consent is "denied", whatever the visitor chooses';
  if (page.hasGpc && isOn(options.respectGpc))
    return "The browser sends Global Privacy Control, which respectGpc obeys";
  // Where the storage was emptied or is denied, the dropped events tell.
  const isRefused = stored.consent === "denied" || activity.told.get("dropped")?.has("consent");
  return isRefused ? "The visitor has refused" : "";
};

/** So much quiet, in milliseconds, says that something is missing; in a page that still loads, more does. */
const QUIET_MS = 5_000;
const LOADING_MS = 20_000;
/** An answer that takes longer than this may never come. Milliseconds. */
const SLOW_MS = 2_000;

export type Evidence = ReturnType<typeof evidenceOf>;

export const evidenceOf = (seen: Seen) => {
  const { page, stored, activity } = seen;
  const options = (activity.options ?? page.tags[0]?.options ?? {}) as Record<string, unknown>;
  // As the tracker reads it.
  const consent = `${options.consent ?? "granted"}`.trim().toLowerCase();
  const denial = denialOf(seen, consent, options);
  const { exchanges } = activity;
  const isPaused = stored.pauseMs > 0;
  // What has waited for a name can leave only since that was called.
  const isSlow = Math.min(stored.readyMs, activity.quietMs) > SLOW_MS;
  const open = exchanges.find(({ status }) => status < 0);
  const last = exchanges.find(({ status }) => status >= 0 && !(isPaused && isGood(status)));
  return {
    ...seen,
    /** The options in force, as the tracker tells them; before it does, those of its tag. */
    options,
    denial,
    /** Does everything wait in memory for the visitor's choice? */
    isPending: consent !== "granted" && stored.consent !== "granted" && !denial,
    /** Who is named, be it in memory alone; after `reset` the row says that nobody is. */
    contact: stored.contact || page.contact,
    account: stored.contact ? stored.account : page.account,
    /** Can no answer be read? */
    isBlind: options.contentType === "text/plain",
    isRunning: page.global === "idle" || page.global === "running",
    /** Is it too early to miss anything? On a slow machine a script, a call or a request may be under way for seconds. */
    isEarly: activity.quietMs < (page.isLoaded ? QUIET_MS : LOADING_MS),
    hasRequests: activity.isRecorded || exchanges.length > 0,
    /** The last request that has ended so; while a pause stands, the one that led to it. */
    last,
    /** Does the last answer, or that there is none, say that the address may lead elsewhere? */
    isAstray: !!last && ([0, 302, 404, 405, 421, 501].includes(last.status) || isPage(last.answerType)),
    /** The last event that the panel has heard whole, and that was accepted. */
    accepted: exchanges.find(({ status, isHeard }) => isHeard && isGood(status)),
    /** For how long a request is under way, in milliseconds; 0 where none is, or it is as short as others. */
    openMs: open && Date.now() - open.at > SLOW_MS ? Date.now() - open.at : 0,
    /** How often sending has failed, as far as it is known. */
    failures: Math.max(
      exchanges.filter(({ status }) => status === 0).length,
      ...stored.events.map((one) => one.failures),
    ),
    /** Has nothing been answered, though it should have been by now? */
    isUnheard: exchanges.every(({ status }) => status <= 0) && (isPaused || isSlow || exchanges[0]?.status === 0),
    /** What the page's own scripts may have been stopped by. */
    error: activity.errors[0] ?? "see the console",
    /** Has the service taken an event, and nothing stood against it since? */
    isProven: !isPaused && exchanges.some(({ status }) => isGood(status)),
  };
};

/** The page's policy that has forbidden something at an address that begins so, word for word, and what to do. */
export const policyOn = ({ activity, page }: Seen, directive: string, url: string, cure: string): Cause => {
  const found = activity.violations.find((one) => one.directive.startsWith(directive) && one.url.startsWith(url));
  const isMeta = page.metaPolicies.includes(found?.policy ?? "");
  const where = isMeta ? "in a meta element of the page" : "in the page's header";
  return found && `The Content-Security-Policy ${where} forbids it: "${found.policy}". ${cure}`;
};

/** What may stand behind an address from which nothing comes that the page may read: each cause with what shows it. */
export const ofSilence = (address: string, isThere: boolean, ...own: Cause[]): string => {
  const causes = [
    !isThere && "no such host, or it is down, or its certificate does not hold: a tab says so",
    ...own,
    !isThere &&
      "an extension or a filter blocks it (ERR_BLOCKED_BY_CLIENT): serve it from your own domain, under another name",
  ].filter(Boolean);
  const what = isThere ? "This page may not read what answers" : "Nothing comes from what should answer";
  return `${what} at ${address}. Why, the network panel says: ${causes.map((cause, at) => `(${at + 1}) ${cause}`).join(". ")}.`;
};
