/**
 * One tracker a name: every copy of the snippet and of the package finds the hub at `window[name]`, and hands it its
 * configuration and its calls.
 */
import { attempt } from "../shared/attempt.js";
import type { Command, Config, Hub } from "../types.js";
import { config, configure, url } from "./config.js";
import { whenVisited } from "./page.js";
import { report } from "./reporting.js";
import { begin, start, verbs } from "./tracker.js";

type Verbs = Record<string, (...args: unknown[]) => unknown>;
const globals = (): Record<string, unknown> => window as never;

/** The most calls that wait for `init`: as many as events wait for the service by default. */
const MAX_WAITING = 1_000;

/** The calls before the start: of one that waits for its options, and of a page that is loaded ahead of its visit. */
let waiting: Command[] | undefined = [];
/** These are carried out at once: what the others answer holds before the start, too, and `onChange` is told at the start. */
const AT_ONCE = /^(init|consent|identity|flush|onChange)$/;
/** Has this script's tracker its options? */
const isConfigured = (): boolean => !!(config.apiToken || config.trackUrl);

const init = (options?: Config): void => {
  const given = { ...options!, name: options?.name || config.name };
  if (isConfigured()) {
    // With another token or name it speaks of another tracker's visitor.
    if (given.name !== config.name || (given.apiToken && given.apiToken !== config.apiToken))
      report("input", "init again: apiToken, name");
    else if (given.contactUid) run(["identify", given.contactUid, given.accountUid, given]);
    return;
  }
  openHub(given.name);
  if (!configure(given)) report("input", "init: consent");
  if (!url) report("input", "init: apiToken, trackUrl");
  if (isConfigured())
    whenVisited(() => {
      const calls = waiting;
      waiting = undefined;
      start();
      calls?.forEach(run);
    });
};

/** Carries a call out, or keeps it until the start. Nothing that it throws reaches the page. */
const run = (command: Command): unknown => {
  try {
    const [verb, ...args] = command;
    if (!waiting) begin();
    else if (!AT_ONCE.test(verb)) {
      if (waiting.length < MAX_WAITING) waiting.push(command);
      else report("input", "no init");
      return;
    }
    return ALL[verb]!(...args);
  } catch (error) {
    attempt(() => report("input", `${command?.[0] ?? "push"}: ${error}`));
  }
};

const ALL = { init, ...verbs } as unknown as Verbs;

const makeHub = (): Hub => {
  const hub: Verbs = { push: (...commands) => (commands as Command[]).forEach(run) };
  // No function of the page's is called here, where nothing catches what it throws.
  for (const verb in ALL) hub[verb] = (...args) => run([verb, ...args]);
  return hub as unknown as Hub;
};

/** An app that never starts a tracker bundles none of this. */
const hub = /* @__PURE__ */ makeHub();

/**
 * Finds the hub of this name, or puts this script's there, which takes over the calls that wait in an array in its place.
 * Elements with this id, and frames with this name, are no plain objects.
 */
export const openHub = (given?: string): Hub => {
  const name = given || "tracklet";
  const found = globals()[name] as Hub | Command[] | undefined;
  if (found && Object.getPrototypeOf(found) === Object.prototype && "init" in found) return found as Hub;
  if (!isConfigured()) {
    config.name = name;
    globals()[name] = hub;
    if (Array.isArray(found)) hub.push(...found);
  }
  return hub;
};
