/** The global object of a page: what the tracker's free names mean. */
import type { Clock } from "./clock.js";
import { BeaconBody } from "./network.js";
import type { Page } from "./page.js";
import { createTarget, type Target } from "./target.js";

/** What a page puts into its window. */
interface Parts {
  clock: Clock;
  random: () => number;
  /** The same of `crypto`, which differs from page to page. */
  secure: () => number;
  area: () => Storage;
  /** Members of the window, and of its `navigator`. */
  members: object;
  navigator: object;
  onError: (error: unknown) => void;
}

/** A page's window, with the names that tests use. */
export type PageWindow = Target & Record<string, unknown> & { localStorage: Storage; document: PageDocument };
export type PageDocument = Target & { hidden: boolean } & Record<string, unknown>;

/** Not in every browser, so that nothing may be built on them. */
const ABSENT = ["scheduler", "requestIdleCallback", "MessageChannel", "BroadcastChannel", "setImmediate", "process"];

export const createWindow = (page: Page, parts: Parts): PageWindow => {
  const { clock, random } = parts;
  const target = createTarget(parts.onError);
  const location = new URL("https://site.example/a");
  const document = Object.defineProperties(createTarget(parts.onError, target), {
    hidden: { get: () => page.isHidden, enumerable: true },
    prerendering: { get: () => page.isPrerendering },
    referrer: { get: () => page.cameFrom },
  });
  Object.assign(document, { defaultView: target });
  class History {
    state: unknown = null;
    pushState(state: unknown, _: string, url?: string | URL): void {
      this.state = state;
      if (url !== undefined) location.href = new URL(url, location).href;
    }
    replaceState(...args: Parameters<History["pushState"]>): void {
      pushState.apply(this, args);
    }
  }
  // Whoever wraps `pushState` hears nothing of a replacement.
  const { pushState } = History.prototype;
  const window = Object.assign(target, parts.members, Object.fromEntries(ABSENT.map((name) => [name, undefined])), {
    document,
    location,
    navigator: parts.navigator,
    History,
    history: new History(),
    origin: location.origin,
    Blob: BeaconBody,
    Request: class {},
    // Members that elements of a page may hide are taken from the prototypes.
    Document: { prototype: document },
    EventTarget: {
      prototype: {
        addEventListener(this: Target, ...args: Parameters<Target["addEventListener"]>): void {
          this.addEventListener(...args);
        },
      },
    },
    Date: { now: clock.wall },
    Math: Object.create(Math, { random: { value: random } }),
    performance: { now: clock.now },
    crypto: { getRandomValues: (bytes: Uint8Array) => bytes.map(() => parts.secure() * 256) },
  });
  // Mutation testing keeps in it which change is in force.
  Object.defineProperty(window, "__stryker__", { value: Reflect.get(globalThis, "__stryker__") });
  if (page.canNavigate) {
    Object.assign(window, { navigation: Object.assign(createTarget(parts.onError), { currentEntry: {} }) });
    // Who is told of navigations needs to wrap nothing.
    const set = (): never => {
      throw new Error("pushState is wrapped");
    };
    Object.defineProperty(History.prototype, "pushState", { get: () => pushState, set });
  }
  if (page.canKeepAlive) Object.assign(window.Request.prototype, { keepalive: true });
  Object.defineProperty(window, "localStorage", { get: parts.area, configurable: true });
  for (const name of ["window", "self", "globalThis"])
    Object.defineProperty(window, name, { value: window, configurable: true, writable: true });
  return window as unknown as PageWindow;
};
