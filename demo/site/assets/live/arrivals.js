/** Milliseconds between two questions to the service, and those that it gets for an answer. */
const [ASK_MS, PATIENCE_MS] = [500, 5_000];
/** Rows of the first answer, and of a later one. */
const [FIRST, PAGE] = [500, 1_000];
/** Milliseconds by which an event may be seen behind a newer one, because its transaction took longer. */
const LATE_MS = 5_000;

/** The lowest id some seconds before this one: its first 48 bits are its time. */
const before = (id) => {
  const time = Math.max(0, Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - LATE_MS);
  const hex = time.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/**
 * Follows the arrivals: the latest stored rows first, then each new one. Asks again and again for what is newer than a
 * few seconds, and drops what it has.
 *
 * @param {string} serviceUrl origin of the service
 * @param {(event: object) => void} onEvent
 * @param {(state: "connecting" | "live" | "reconnecting") => void} onState told first and at each change: connecting until the
 * first time live, and after the page has come back from the back/forward cache
 */
export const followArrivals = (serviceUrl, onEvent, onState) => {
  let state;
  let timer;
  let newest;
  /** Ids of the answer before. */
  let known = new Set();

  const tell = (now) => {
    if (state !== now) onState(now);
    state = now;
  };

  const ask = async (query) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(`${serviceUrl}/demo/events?${query}`, { signal });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return (await answer.json()).events;
  };

  const read = async () => {
    if (newest === undefined) return (await ask(`limit=${FIRST}&order=desc`)).reverse();
    const events = [];
    for (let after = before(newest); ; after = events.at(-1).id) {
      const page = await ask(`limit=${PAGE}&after=${after}`);
      events.push(...page);
      if (page.length < PAGE) return events;
    }
  };

  const look = async () => {
    try {
      const events = await read();
      for (const event of events) if (!known.has(event.id)) onEvent(event);
      known = new Set(events.map(({ id }) => id));
      newest = events.at(-1)?.id ?? newest;
      tell("live");
    } catch {
      tell(state === "connecting" ? "connecting" : "reconnecting");
    }
  };

  const begin = () => {
    let isOver = false;
    const next = async () => {
      await look();
      if (!isOver) timer = setTimeout(next, ASK_MS);
    };
    tell("connecting");
    next();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  };

  let end = begin();
  addEventListener("pagehide", () => {
    end();
    [newest, state] = [undefined, undefined];
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) end = begin();
  });
};
