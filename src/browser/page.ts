/** The only file that listens to `document`, `window` or `history`. A tracker lives as long as its page, so no listener is removed. */
import { attempt } from "../shared/attempt.js";

/**
 * A member of the document. Taken from the prototype, because an element of this name hides it (HTML §3.1.3): whoever can put
 * markup into the page must neither stop its events nor say where they go.
 */
const ofDocument = (name: string): unknown => Reflect.get(Document.prototype, name, document);

export const isHidden = (): boolean => ofDocument("hidden") as never;

/** The URL of the page that led to this one, as much of it as that tells. */
export const referrer = (): string => ofDocument("referrer") as never;

/** The script element that is running. */
export const currentScript = (): HTMLScriptElement | undefined => ofDocument("currentScript") as never;

/**
 * Listens on the way down, so that what is fired at the document is heard at its window. (`window` itself is another object
 * in Vitest: Node's global, which is no event target.) Nothing reaches the page.
 */
const listen = (types: string, run: (event: never) => void, target = ofDocument("defaultView")): void => {
  for (const type of types.split(" "))
    (target as EventTarget).addEventListener(type, run as (event: Event) => void, true);
};

export type PageEvent = PageTransitionEvent & StorageEvent;

/**
 * Calls `run`, which must not throw, for each event that concerns a tracker. Asked again with each call of a verb, because
 * `document.open()` takes all listeners off (HTML §8.4.1). A browser passes over a listener that it has (DOM §2.7, `addEventListener`).
 */
export const onPage = (run: (event: PageEvent) => void): void =>
  listen("visibilitychange online storage pagehide pageshow popstate", run);

/** Runs at once, or, where the page was loaded ahead of a visit that may never come, when that comes (WICG, Prerendering Revamped). */
export const whenVisited = (run: () => void): void =>
  ofDocument("prerendering") ? listen("prerenderingchange", () => attempt(run)) : run();

/** How the URL came to be the current one. The browser has other kinds, too: of a reload, and of an update of the entry's state. */
export type Navigation = "push" | "replace" | "traverse";

/**
 * The URL may have changed without a new document: told by the Navigation API, for which nobody is wrapped (HTML §7.2.6),
 * or, in older browsers, by wrapped methods of `history`. A wrapper calls through with the right `this`, and lets results and
 * exceptions reach the caller. `popstate` belongs to both ways, see `onPage`.
 */
export const onNavigate = (run: (kind: Navigation) => void): void => {
  const { navigation } = window as { navigation?: EventTarget & { currentEntry?: unknown } };
  // An element of the page may have this name.
  if (navigation?.currentEntry)
    listen(
      "currententrychange",
      ({ navigationType }: { navigationType: Navigation }) => attempt(() => run(navigationType)),
      navigation,
    );
  else
    for (const kind of ["push", "replace"] as const) {
      const method = `${kind}State` as const;
      const original = history[method];
      history[method] = function (...args) {
        const result = original.apply(this, args);
        attempt(() => run(kind));
        return result;
      };
    }
};
