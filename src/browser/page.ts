/**
 * The only file that listens to `document`, `window` or `history`. A tracker lives as long as its page: nothing is taken off.
 *
 * Elements of the page hide members of `document` and `window` that have the name of their `id` or `name` (HTML §3.1.3, §7.2.2.3).
 * So members are taken from the prototypes.
 */
import { attempt } from "../shared/attempt.js";

const ofDocument = (name: string): unknown => Reflect.get(Document.prototype, name, document);

export const isHidden = (): boolean => !!ofDocument("hidden");

/** The script element that is running. */
export const currentScript = (): HTMLScriptElement | null => ofDocument("currentScript") as HTMLScriptElement | null;

/**
 * Listens on the way down, so that what is fired at the document is heard at its window. (`window` itself is another object
 * in Vitest: Node's global, which is no event target.) Nothing reaches the page.
 */
const listen = (
  types: string,
  run: (event: never) => void,
  target = ofDocument("defaultView") as EventTarget,
): void => {
  for (const type of types.split(" "))
    EventTarget.prototype.addEventListener.call(target, type, run as (event: Event) => void, true);
};

export type PageEvent = PageTransitionEvent & StorageEvent;

/**
 * Calls `run`, which must not throw, for each event that concerns a tracker. Asked again with each call of a verb, because
 * `document.open()` takes all listeners off. A browser passes over a listener that it has (DOM §2.7, `addEventListener`).
 */
export const onPage = (run: (event: PageEvent) => void): void =>
  listen("visibilitychange online storage pagehide pageshow popstate", run);

/** Runs at once, or, where the page was loaded ahead of a visit that may never come, when that comes (WICG, Prerendering Revamped). */
export const whenActive = (run: () => void): void =>
  ofDocument("prerendering") ? listen("prerenderingchange", () => attempt(run)) : run();

/** Has a router asked the browser to wait for the end of a navigation? (HTML §7.2.6.11, `intercept`) */
export const isNavigating = (): boolean =>
  !!(window as { navigation?: { transition?: unknown } }).navigation?.transition;

/** How the URL came to be the current one. The browser has other kinds, too: of a reload, and of an update of the entry's state. */
export type Navigation = "push" | "replace" | "traverse";

/**
 * The URL may have changed without a new document: told by the Navigation API, for which nobody is wrapped (HTML §7.2.6),
 * or, in older browsers, by wrapped methods of `history`. A wrapper calls through with the right `this`, and lets results and
 * exceptions reach the caller. `popstate` belongs to both ways, see `onPage`.
 */
export const onNavigate = (run: (kind: Navigation) => void): void => {
  const { Navigation, navigation } = window as { Navigation?: unknown; navigation?: unknown };
  // A page may have a variable of this name.
  if (typeof Navigation === "function" && navigation instanceof Navigation)
    listen(
      "currententrychange",
      ({ navigationType }: { navigationType: Navigation }) => attempt(() => run(navigationType)),
      navigation as EventTarget,
    );
  else
    for (const kind of ["push", "replace"] as const) {
      const method = `${kind}State` as const;
      // Where others find it: a wrapper of theirs, before or after this one, is called as well.
      const owner: History = Object.keys(history).includes(method) ? history : History.prototype;
      const original = owner[method];
      owner[method] = function (...args) {
        const result = original.apply(this, args);
        attempt(() => run(kind));
        return result;
      };
    }
};
