/**
 * What a tracker finds in a test in place of the browser's own. Nothing is stored or sent, and what the tracker has put into the
 * page (timers, listeners, wrapped methods of `history`) is taken back at the end: it would reach into the next test.
 */
import { EVENT } from "../browser/delivery/row.js";
import type { Surroundings } from "../fresh-tracker.js";

// The tracker's timers are none of a test's that counts or runs its own: those of a test replace the browser's later than this.
const { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame } =
  typeof window === "undefined" ? ({} as typeof globalThis) : globalThis;

/** The stamp stands behind what the page has given. */
const STAMP = /,?"event_id":"[^"]*","occurred_at":\d+,"event_source":"[^"]*","event_seq":\d+(?=}}$)/;

/**
 * @param record told of each event that would be sent, by the key of its row
 * @param withStamp do events have the stamp that they are sent with?
 */
export const createSurroundings = (record: (key: string, body: string) => void, withStamp?: boolean) => {
  /** Take back what was begun. Nothing once the end has come: then nothing begins any more. */
  let takeBack: (() => void)[] | undefined = [];
  const begin = <Started>(start: () => Started, end: (started: Started) => void): Started | undefined => {
    if (!takeBack) return undefined;
    const started = start();
    takeBack.push(() => end(started));
    return started;
  };

  /** An owner of methods that the tracker wraps. Where somebody else has wrapped them since, the wrapper stays. */
  const wrapped = <Owner extends object>(owner: Owner): Owner =>
    new Proxy(owner, {
      set: (_, method, wrapper) => {
        // Mostly it is its prototype's, and shows again once the wrapper is gone.
        const own = Object.getOwnPropertyDescriptor(owner, method);
        begin(
          () => Reflect.set(owner, method, wrapper),
          () => {
            if (Reflect.get(owner, method) !== wrapper) return;
            if (own) Object.defineProperty(owner, method, own);
            else Reflect.deleteProperty(owner, method);
          },
        );
        return true;
      },
    });

  const surroundings: Surroundings = {
    localStorage: new Proxy<Record<string, string>>(
      {},
      {
        // What is stored, and has a contact, is sent: nothing but the network could stop it.
        set: (rows, key: string, text: string) => {
          rows[key] = text;
          const body = text.slice(text.indexOf("{"));
          if (key.includes(EVENT) && JSON.parse(body).contact_uid)
            record(key, withStamp ? body : body.replace(STAMP, ""));
          return true;
        },
      },
    ),
    fetch: async () => ({ status: 200, headers: new Map(), text: () => "" }),
    Request: { prototype: { keepalive: true } },
    // Gives characters in place of bytes: Jest's environment with jsdom has none.
    TextEncoder: function TextEncoder() {
      return { encode: (text: string) => [...text] };
    },
    setTimeout: (run, ms) => begin(() => setTimeout(run, ms), clearTimeout),
    clearTimeout,
    requestAnimationFrame: (run) => begin(() => requestAnimationFrame(run), cancelAnimationFrame),
    history: wrapped(history),
    EventTarget: {
      prototype: {
        addEventListener(...args) {
          const { addEventListener, removeEventListener } = EventTarget.prototype;
          begin(
            () => addEventListener.apply(this, args),
            () => removeEventListener.apply(this, args),
          );
        },
      },
    },
  };
  return {
    surroundings,
    end: (): void => {
      const all = takeBack ?? [];
      takeBack = undefined;
      for (const end of all.reverse()) end();
    },
  };
};
