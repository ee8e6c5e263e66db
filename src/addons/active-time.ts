/** Counts how long somebody is at a page. */
import { bareUrl, type Ends, type Track } from "./track.js";

/** So long somebody is taken to be there, after a sign of life. */
const IDLE_MS = 30_000;
/** How often the clock is read while somebody is there. */
const LOOK_MS = 1_000;
/** A clock that was not read for so long is that of a machine that slept: of this time nothing is known. */
const SLEEP_MS = 5_000;
/** What is shorter is counted with what comes next. */
const LEAST_MS = 250;
/** A URL must stand for so long: what is tracked before would have the tracker judge the page view of a redirect. */
const STAND_MS = 500;

/**
 * Listens until the returned function is called.
 *
 * @returns what takes the listeners off again, and tracks what was counted
 */
export const watchActive = (track: Track): (() => void) => {
  (window as Ends).trackletActive?.();
  const { navigation } = window as { navigation?: Partial<EventTarget> & { transition?: unknown } };
  const controller = new AbortController();
  const { signal } = controller;
  /** By the clock that nobody sets: until when somebody is there, and when it was read. */
  let until = 0;
  let readAt = 0;
  let isShown = false;
  /** What was counted and not tracked yet, and how much of that before the URL has moved. */
  let active = 0;
  let before = 0;
  /** The URL now, and that of the view that is counted. */
  let url = bareUrl(location);
  let view = url;
  let looking: ReturnType<typeof setInterval> | undefined;
  let standing: ReturnType<typeof setTimeout>;

  const tell = (ms: number): void => {
    if (ms < LEAST_MS || signal.aborted) return;
    active -= ms;
    track("page_active", { active_time: Math.floor(ms) / 1_000, visit_url: view });
  };

  /** The URL stands: if it is another one, the view of before has ended. */
  const stand = (): void => {
    clearTimeout(standing);
    if (url !== view) tell(before);
    view = url;
  };

  /** Waits until the URL has stood, and for the end of a navigation that the browser knows of. */
  const wait = (): void => {
    clearTimeout(standing);
    standing = setTimeout(() => (navigation?.transition ? wait() : stand()), STAND_MS);
  };

  const look = (): void => {
    const now = performance.now();
    if (now - readAt > SLEEP_MS) until = 0;
    if (isShown) active += Math.max(0, Math.min(now, until) - readAt);
    readAt = now;
    // From the prototype: an element of this name hides the document's own (HTML §3.1.3).
    isShown = !Reflect.get(Document.prototype, "hidden", document);
    if (until < now) looking = clearInterval(looking) as undefined;
    if (url !== bareUrl(location)) {
      url = bareUrl(location);
      before = active;
      wait();
    }
  };

  const live = (): void => {
    look();
    until = readAt + IDLE_MS;
    looking ??= setInterval(look, LOOK_MS);
  };

  const end = (event?: Event): void => {
    look();
    stand();
    tell(active);
    // A page that is left is hidden a while later, where the machine is busy.
    if (event?.type === "pagehide") until = 0;
  };

  // The scrolling of a part of the page is not heard: news tickers scroll by themselves. Its wheel or key is.
  for (const type of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove", "scroll"])
    addEventListener(type, live, { capture: type !== "scroll", passive: true, signal });
  for (const type of ["visibilitychange", "pagehide"]) addEventListener(type, end, { capture: true, signal });
  // Where there is none, a look finds the new URL, within a second while somebody is there.
  navigation?.addEventListener?.("currententrychange", look, { signal });
  (window as Ends).trackletActive = () => {
    end();
    controller.abort();
  };
  return (window as Ends).trackletActive!;
};
