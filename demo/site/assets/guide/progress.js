/**
 * How far a visitor has come with the guide: remembered over the reload that is one of its steps.
 *
 * `{ stopped, clicks: [{ id, at }], reloaded, started }`
 */
import { recall, remember } from "../memory.js";

/** Clicks to make while the service is away. */
export const CLICKS = 3;
const FIRST = { stopped: false, clicks: [], reloaded: false, started: false };

export const createProgress = () => {
  let progress = recall("guide") ?? FIRST;
  const change = (changes) => {
    progress = { ...progress, ...changes };
    remember("guide", progress);
  };
  if (progress.clicks.length === CLICKS && !progress.started) change({ reloaded: true });

  return {
    read: () => progress,
    click: () => {
      const id = crypto.randomUUID().slice(0, 8);
      change({ clicks: [...progress.clicks, { id, at: Date.now() }] });
      return id;
    },
    /** The service is there, or not. */
    follow: (state) => {
      if (state === "down" && !progress.stopped) change({ ...FIRST, stopped: true });
      // It came back too early: the visitor stops it again.
      if (state === "up" && progress.stopped && !progress.started)
        change(progress.clicks.length === CLICKS ? { started: true } : FIRST);
    },
    again: () => change(FIRST),
  };
};

/**
 * Which steps are done, in their order.
 *
 * @param {object} progress
 * @param {boolean} isNamed somebody is identified
 * @param {Map<string, number[]>} arrivals
 */
export const doneSteps = ({ stopped, clicks, reloaded, started }, isNamed, arrivals) => [
  isNamed,
  stopped,
  clicks.length === CLICKS,
  reloaded || started,
  started,
  started && clicks.every(({ id }) => arrivals.has(id)),
];
