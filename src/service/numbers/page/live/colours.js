import { recall, remember } from "../base/memory.js";

/** Colours in the stylesheet, `--series-0` and so on; whatever comes after them shares `--series-other`. */
const COLOURS = 8;

const hash = (text) => {
  let sum = 0;
  for (const char of text) sum = (Math.imul(sum, 31) + char.codePointAt(0)) >>> 0;
  return sum;
};

/** These have theirs for good. */
const FIXED = { pageview: 0, registration: 1 };

/**
 * Gives each event_uid a colour of its own and keeps it, also across reloads: the one that its name hashes to, else the
 * next free one. When all are given, one that is out of use is given anew.
 */
export const createColours = () => {
  const given = new Map(Object.entries(recall("colours") ?? FIXED));
  return {
    /** @param {(name: string) => boolean} inUse whether that event_uid is in the chart */
    claim(name, inUse) {
      if (given.has(name)) return;
      if (given.size >= COLOURS) {
        const idle = [...given.keys()].find((old) => !(old in FIXED) && !inUse(old));
        if (idle === undefined) return;
        given.delete(idle);
      }
      const taken = new Set(given.values());
      let colour = hash(name) % COLOURS;
      while (taken.has(colour)) colour = (colour + 1) % COLOURS;
      given.set(name, colour);
      remember("colours", Object.fromEntries(given));
    },
    has: (name) => given.has(name),
    /** Name of the custom property, which the stylesheet defines for light and dark. */
    property: (name) => `--series-${given.get(name) ?? "other"}`,
  };
};
