/**
 * What the live page knows of the events: counts by time and event_uid, and the rows not drawn yet. It is bounded in
 * every direction, so that a page that stays open for days, or in a hidden tab, does not grow.
 */

/** Rows kept for the next drawing, and drawn at most. */
export const MAX_ROWS = 50;
/** Ids remembered, to tell a repeated arrival. */
const MAX_IDS = 5_000;
/** The two scales: milliseconds of a step, and steps shown. */
const SCALES = { seconds: { step: 1_000, steps: 60 }, minutes: { step: 60_000, steps: 60 } };

/** Counts by step and event_uid. */
const createCounts = ({ step, steps }) => {
  const counts = new Map();
  const forget = (last) => {
    for (const at of counts.keys()) if (at <= last - steps) counts.delete(at);
  };
  return {
    add(time, name) {
      const at = Math.floor(time / step);
      const names = counts.get(at) ?? new Map();
      counts.set(at, names.set(name, (names.get(name) ?? 0) + 1));
      // Nothing is drawn, and nothing forgotten there, while the tab is hidden.
      if (counts.size > 2 * steps) forget(at);
    },
    has: (name) => [...counts.values()].some((names) => names.has(name)),
    /** `{ times, names, values }`: the start of each step, the names that occur, and for each name its count by step. */
    series(now) {
      const last = Math.floor(now / step);
      forget(last);
      const times = Array.from({ length: steps }, (_, index) => last - steps + 1 + index);
      const names = [...new Set([...counts.values()].flatMap((step) => [...step.keys()]))].sort();
      const values = names.map((name) => times.map((at) => counts.get(at)?.get(name) ?? 0));
      return { times: times.map((at) => at * step), names, values };
    },
  };
};

export const createModel = () => {
  const counts = { seconds: createCounts(SCALES.seconds), minutes: createCounts(SCALES.minutes) };
  const ids = new Set();
  let pending = [];
  let newest = 0;
  return {
    /** Takes an event in; false when it was here before. */
    add(event) {
      // With its time: a data folder that was deleted begins its ids anew.
      const id = `${event.id} ${event.received_at}`;
      if (ids.has(id)) return false;
      ids.add(id);
      if (ids.size > MAX_IDS) ids.delete(ids.values().next().value);
      const time = new Date(event.received_at).getTime();
      newest = Math.max(newest, time);
      counts.seconds.add(time, event.event_uid);
      counts.minutes.add(time, event.event_uid);
      pending.push(event);
      // Twice the bound before it is cut, so that cutting does not happen at every event.
      if (pending.length > 2 * MAX_ROWS) pending = pending.slice(-MAX_ROWS);
      return true;
    },
    /** Whether that event_uid came in the last hour. */
    has: (name) => counts.minutes.has(name),
    /** The rows since the last call, oldest first. */
    take() {
      const rows = pending.slice(-MAX_ROWS);
      pending = [];
      return rows;
    },
    /** Counts up to now; the service's clock may be a little ahead of this one. */
    series: (scale, now) => counts[scale].series(Math.max(now, newest)),
  };
};
