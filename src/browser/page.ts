/** The only file that listens to `document`, `window` or `history`. A tracker lives as long as its page: nothing is taken off. */

const listen = (target: EventTarget, type: string, run: (event: never) => void): void =>
  target.addEventListener(type, run as (event: Event) => void);

export const isHidden = (): boolean => document.hidden;

/** The page goes out of sight, often the last event of its life on a phone, or comes back. */
export const onVisibility = (run: () => void): void => listen(document, "visibilitychange", run);

/** The page is left: closed, navigated away from, or put into the back/forward cache. */
export const onLeave = (run: () => void): void => listen(window, "pagehide", run);

/** The page is back from the back/forward cache, with its memory as it was left. */
export const onRestore = (run: () => void): void =>
  listen(window, "pageshow", (event: PageTransitionEvent) => event.persisted && run());

/** Another tab has changed the storage. */
export const onStorage = (run: () => void): void => listen(window, "storage", run);

export const onOnline = (run: () => void): void => listen(window, "online", run);

/** At once, or, where the page was loaded ahead of a visit that may never come, when that comes (Prerendering Revamped, WICG). */
export const whenActive = (run: () => void): void =>
  (document as { prerendering?: boolean }).prerendering ? listen(document, "prerenderingchange", run) : run();

/** How the URL came to be the current one. */
export type Navigation = "push" | "replace" | "traverse";

/**
 * The URL may have changed without a new document: by the Navigation API, which nobody has to be wrapped for (HTML, 7.2.6),
 * or, in WebKit and older browsers, by wrapped methods of `history`. A wrapper calls through with the right `this`, and lets
 * results and exceptions reach the caller.
 */
export const onNavigate = (run: (navigation: Navigation) => void): void => {
  const { navigation } = window as { navigation?: EventTarget & { currentEntry?: unknown } };
  // An element with this id is no navigation.
  if (navigation?.currentEntry)
    listen(navigation, "currententrychange", ({ navigationType }: { navigationType: Navigation }) =>
      run(navigationType),
    );
  else {
    for (const kind of ["push", "replace"] as const) {
      const method = `${kind}State` as const;
      // Where others find it: a wrapper of theirs, before or after this one, is called as well.
      const owner: History = Object.keys(history).includes(method) ? history : History.prototype;
      const original = owner[method];
      owner[method] = function (...args) {
        const result = original.apply(this, args);
        run(kind);
        return result;
      };
    }
    listen(window, "popstate", () => run("traverse"));
  }
};
