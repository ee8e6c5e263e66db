/** Listens to a tracker, to the calls that the page makes, and to the page's errors. */
import { attempt } from "../../shared/attempt.js";
import { type Call, createActivity } from "./activity.js";
import { globalOf } from "./page-state.js";
import { readEvent, type SentEvent } from "./stored.js";
import { callOf, KEPT, keep, short, written } from "./visible.js";
import { watchWire } from "./wire.js";

/** Of the time between two looks, no more than this is taken for quiet, in milliseconds. */
const LOOK_MS = 1_000;
/** Two views of one path within this time, one of them called for, are one view that is counted twice. Milliseconds. */
const TWICE_MS = 1_000;
/** A row of no tracker, since theirs would listen; as long as that of an event often is. */
const PROBE = ["tracklet-inspector", "x".repeat(1_000)] as const;
/** Verbs that only ask; the panel calls them, too. */
const QUIET = /^(flush|debug|identity|consent|onChange)$/;

type Hub = Record<string, (...args: unknown[]) => unknown>;

/** Does the storage take one more event? A row is written, and removed at once. */
const takesMore = (): boolean =>
  !!attempt(() => {
    localStorage.setItem(...PROBE);
    localStorage.removeItem(PROBE[0]);
    return true;
  });

/** The first place in a stack that is not in this file. */
const callerIn = (stack = ""): string => {
  const places = stack.match(/\w[\w-]*:\/\/[^\s)]+:\d+:\d+/g) ?? [];
  const own = places[0]?.replace(/:\d+:\d+$/, ":");
  return places.find((place) => !place.startsWith(own!)) ?? "";
};

const formOf = (value: unknown): string => (Array.isArray(value) ? `a list of ${value.length}` : written(value));

/** Members that were given as one kind of value, and are sent as another. */
const alteredIn = (given: unknown, { event, params }: SentEvent): string[] =>
  Object.entries(given && typeof given === "object" ? given : {})
    .filter(([name, value]) => {
      // What has a form of its own in JSON, such as a date, is meant to be another; an address has its secrets replaced.
      const isPlain = Array.isArray(value) || /string|number|boolean/.test(typeof value);
      return isPlain && name in params && !/_url$|^referrer$/.test(name) && formOf(value) !== formOf(params[name]);
    })
    .map(
      ([name, value]) => `${name} of "${event}" was given as ${formOf(value)}, and is sent as ${formOf(params[name])}`,
    );

/** @returns what has happened, which goes on changing; the tracker's listener; what is called with each look; and what ends all */
export const listen = (name: string) => {
  const activity = createActivity();
  const { told, calls, errors, altered, doubled } = activity;
  /** The last page view. */
  let last: { path: string; at: number; isCalled: boolean } | undefined;
  let isListening = true;
  let open: Call | undefined;
  let hub: Hub | undefined;
  let own: Hub = {};

  const note = (code: string, detail: string): void => {
    const details = told.get(code) ?? new Set();
    if (details.size < KEPT) told.set(code, details.add(detail));
  };
  const noteEvent = (code: string, event: SentEvent): void => {
    activity.queued++;
    activity.isUnstored = code !== "pending" && !takesMore();
    told.delete("dropped");
    if (open && altered.size < KEPT && !(activity.options as Hub | undefined)?.beforeSend)
      for (const text of alteredIn(open.args[open.verb === "track" ? 1 : 0], event)) altered.add(text);
    if (event.event !== "pageview") return;
    const view = {
      path: event.visitUrl.replace(/[?#].*/, ""),
      at: performance.now(),
      isCalled: open?.verb === "pageview",
    };
    // A page view that is called for stands for the automatic one, unless it comes later.
    const isNear = view.path === last?.path && view.at - last.at < TWICE_MS;
    if (isNear && (view.isCalled || last!.isCalled)) doubled.add(view.path);
    last = view;
  };
  /** An event comes as its JSON, options as they were given. What is told while a call is carried out is of it. */
  const listener = (code: string | number, detail: unknown): void => {
    if (!isListening) return;
    activity.quietMs = 0;
    const event = readEvent(`${detail}`);
    if (code === "options") {
      activity.options = detail;
      // At once, so that the calls which follow are seen.
      find();
    } else if (typeof code === "string") {
      if (open) open.became += `${open.became && ", "}${event ? code : `${code}: ${detail}`}`;
      if (event) noteEvent(code, event);
      else note(code, `${detail}`);
    }
  };

  const carryOut = <T>(verb: string, args: readonly unknown[], run: () => T): T => {
    const outer = open;
    activity.quietMs = 0;
    const isByItself = navigator.userActivation?.hasBeenActive === false;
    open = keep<Call>(calls, { verb, args, became: "", caller: callerIn(Error().stack), isByItself });
    try {
      return run();
    } finally {
      open = outer;
    }
  };
  /** One of the calls that `push` was given. */
  const pass = (call: unknown): void => {
    const [verb, ...args] = callOf(call);
    if (args[0] === listener) own.push!(call);
    else carryOut(`${String(verb)}`, args, () => own.push!(call));
  };
  /** Stands in front of the verbs, and lets each call through as it is. */
  const watchCalls = (tracker: object): void => {
    hub = tracker as Hub;
    own = { ...hub };
    for (const verb of Object.keys(own).filter((verb) => !QUIET.test(verb)))
      hub[verb] = (...args) => carryOut(verb, args, () => own[verb]!(...args));
    hub.push = (...given) => given.forEach(pass);
  };

  const onError = ({ message, filename, lineno, reason }: ErrorEvent & PromiseRejectionEvent): void => {
    const place = filename ? ` (${filename}:${lineno})` : "";
    keep(errors, short(message ? `${message}${place}` : `${reason?.stack ?? reason}`));
  };
  const onErrors = onError as unknown as EventListener;
  for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, onErrors);
  const endWire = watchWire(activity);

  let lookedAt = performance.now();
  let isFound = false;
  const find = (): void => {
    const found = globalOf(name);
    if (!found && !isFound) activity.stood = (window as unknown as Record<string, unknown>)[name] ?? activity.stood;
    if (found && !isFound) {
      isFound = true;
      activity.quietMs = 0;
      activity.isUnstored = !takesMore();
      found.push(["debug", listener]);
    }
    if (found && !Array.isArray(found) && !hub) watchCalls(found);
  };
  find();

  return {
    activity,
    listener,
    /** Where the panel looks seldom, the page is busy: that is no time in which nothing happens. */
    noteLook: (): void => {
      find();
      const now = performance.now();
      activity.quietMs += Math.min(now - lookedAt, LOOK_MS);
      lookedAt = now;
    },
    end: (): void => {
      isListening = false;
      for (const kind of ["error", "unhandledrejection"]) removeEventListener(kind, onErrors);
      endWire();
      Object.assign(hub ?? {}, own);
    },
  };
};
