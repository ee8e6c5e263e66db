/** Milliseconds between two questions to the service. */
const ASK_MS = 500;
/** Events of the first answer, and of a later one. */
const [FIRST, PAGE] = [500, 1_000];
/** Milliseconds by which an event may be seen behind a newer one, because its transaction took longer. */
const LATE_MS = 5_000;

/**
 * Follows the arrivals: the latest stored events first, then each new one. Asks again and again for what is newer than a
 * few seconds, and drops what it has.
 *
 * @param {{ read(query: URLSearchParams): Promise<object[]>, isShown(): boolean }} source nothing is asked while it is not shown
 * @param {{ onEvent(event: object): void, onState(state: "connecting" | "live" | "reconnecting"): void }} listener told of the
 * state first and at each change: connecting until the first time live, and after the page has come back from the back/forward
 * cache
 */
export const followArrivals = ({ read, isShown }, { onEvent, onState }) => {
  let state;
  let timer;
  let newest;
  /** Ids of the answer before. */
  let known = new Set();

  const tell = (now) => {
    if (state !== now) onState(now);
    state = now;
  };

  const readNew = async () => {
    if (newest === undefined) return (await read(new URLSearchParams({ limit: FIRST, order: "desc" }))).reverse();
    const events = [];
    for (let since = Math.max(0, newest - LATE_MS); ; ) {
      const page = await read(new URLSearchParams({ limit: PAGE, since }));
      events.push(...page);
      const last = page.at(-1)?.received_at;
      if (page.length < PAGE || last === since) return events;
      since = last;
    }
  };

  const look = async () => {
    try {
      const events = await readNew();
      for (const event of events) if (!known.has(event.id)) onEvent(event);
      known = new Set(events.map(({ id }) => id));
      for (const { received_at: at } of events) newest = Math.max(newest ?? 0, at);
      tell("live");
    } catch {
      tell(state === "connecting" ? "connecting" : "reconnecting");
    }
  };

  const begin = () => {
    let isOver = false;
    const next = async () => {
      if (isShown()) await look();
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
