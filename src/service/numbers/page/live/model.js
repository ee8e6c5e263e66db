/**
 * What the live page knows of the events: counts by event_uid and time, of happening and of arriving, and the rows not drawn yet. It is bounded in
 * every direction, so that a page that stays open for days, or in a hidden tab, does not grow.
 */

/** Rows kept for the next drawing, and drawn at most. */
export const MAX_ROWS = 50;
/** Ids remembered, to tell a repeated arrival. */
const MAX_IDS = 5_000;
/** The two scales: milliseconds of a step, and steps shown. */
const SCALES = { seconds: { step: 1_000, steps: 60 }, minutes: { step: 60_000, steps: 60 } };

/** When an event happened, in epoch milliseconds, where its page has stamped it with a time that the service believes. */
export const happenedAt = ({ occurred_at }) => occurred_at ?? undefined;

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
    has(name, last) {
      forget(last);
      return [...counts.values()].some((names) => names.has(name));
    },
    names(last) {
      forget(last);
      return [...counts.values()].flatMap((names) => [...names.keys()]);
    },
    of: (name, at) => counts.get(at)?.get(name) ?? 0,
  };
};

/** What happened and what arrived, on one scale. */
const createScale = ({ step, steps }) => {
  const lanes = { happened: createCounts({ step, steps }), arrived: createCounts({ step, steps }) };
  return {
    lanes,
    /** Whether that event_uid has arrived in the time that is shown. */
    has: (name, now) => lanes.arrived.has(name, Math.floor(now / step)),
    /**
     * `{ times, step, names, happened, arrived }`: the start of each step, the names that occur, and for each name how often it
     * happened, and how often it arrived, by step.
     */
    series(now) {
      const last = Math.floor(now / step);
      const all = Array.from({ length: steps }, (_, index) => last - steps + 1 + index);
      const names = [...new Set([...lanes.happened.names(last), ...lanes.arrived.names(last)])].sort();
      const values = (lane) => names.map((name) => all.map((at) => lane.of(name, at)));
      return {
        times: all.map((at) => at * step),
        step,
        names,
        happened: values(lanes.happened),
        arrived: values(lanes.arrived),
      };
    },
  };
};

export const createModel = () => {
  const scales = { seconds: createScale(SCALES.seconds), minutes: createScale(SCALES.minutes) };
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
      const happened = happenedAt(event);
      for (const { lanes } of Object.values(scales)) {
        lanes.arrived.add(time, event.event_uid);
        if (happened !== undefined) lanes.happened.add(happened, event.event_uid);
      }
      pending.push(event);
      // Twice the bound before it is cut, so that cutting does not happen at every event.
      if (pending.length > 2 * MAX_ROWS) pending = pending.slice(-MAX_ROWS);
      return true;
    },
    /** Whether that event_uid came in the time that a scale shows. */
    has: (name, scale) => scales[scale].has(name, Math.max(Date.now(), newest)),
    /** The rows since the last call, oldest first. */
    take() {
      const rows = pending.slice(-MAX_ROWS);
      pending = [];
      return rows;
    },
    /** Counts up to now; the service's clock may be a little ahead of this one. */
    series: (scale, now) => scales[scale].series(Math.max(now, newest)),
  };
};
