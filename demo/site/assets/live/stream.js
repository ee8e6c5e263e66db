/** Milliseconds before the next attempt, after the stream broke or could not be opened. */
const RETRY_MS = 1_000;
/** Rows asked for at opening, and in each step of catching up. */
const PAGE = 500;

/**
 * Follows the arrivals: the stored rows first, then each new one. What arrived while the stream was broken is fetched
 * when it is back; a row can come twice that way, with the same id.
 *
 * @param {string} serviceUrl origin of the service
 * @param {(event: object) => void} onEvent
 * @param {(state: "connecting" | "live" | "reconnecting") => void} onState told first and at each change: connecting until the
 * first time live, and after the page has come back from the back/forward cache
 */
export const openStream = (serviceUrl, onEvent, onState) => {
  let source;
  let timer;
  let last;
  let wasLive = false;

  const receive = (event) => {
    last = Math.max(last ?? 0, event.id);
    onEvent(event);
  };

  /** Without a last row the latest ones; then, page by page, what came after the last row. */
  const catchUp = async (opened) => {
    let events;
    do {
      const where = last === undefined ? "order=desc" : `after=${last}`;
      const answer = await fetch(`${serviceUrl}/demo/events?limit=${PAGE}&${where}`);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      ({ events } = await answer.json());
      for (const event of events.sort((a, b) => a.id - b.id)) receive(event);
    } while (events.length === PAGE && source === opened);
    if (source !== opened) return;
    wasLive = true;
    onState("live");
  };

  // An EventSource goes on by itself after some failures and gives up after others, differently in each browser:
  // starting it anew here is one way for all of them.
  const open = () => {
    onState(wasLive ? "reconnecting" : "connecting");
    const opened = new EventSource(`${serviceUrl}/demo/events/stream`);
    source = opened;
    const again = () => {
      opened.close();
      if (source !== opened) return;
      onState(wasLive ? "reconnecting" : "connecting");
      clearTimeout(timer);
      timer = setTimeout(open, RETRY_MS);
    };
    // The stream is open before stored rows are asked for, so that nothing falls between the two.
    opened.onopen = () => catchUp(opened).catch(again);
    opened.addEventListener("event", (message) => receive(JSON.parse(message.data)));
    opened.onerror = again;
  };

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    wasLive = false;
  };

  // An open stream keeps a page out of the back/forward cache.
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
};
