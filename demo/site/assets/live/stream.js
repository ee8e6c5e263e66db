/** Milliseconds before the next attempt, after the stream broke or could not be opened. */
const RETRY_MS = 1_000;
/** Rows asked for at the first opening. */
const PAGE = 500;

/**
 * Follows the arrivals: the latest stored rows first, then each new one. After a break the stream goes on where it
 * was; a row can come twice that way, with the same id.
 *
 * @param {string} serviceUrl origin of the service
 * @param {(event: object) => void} onEvent
 * @param {(state: "connecting" | "live" | "reconnecting") => void} onState told first and at each change: connecting until the
 * first time live, and after the page has come back from the back/forward cache
 */
export const openStream = (serviceUrl, onEvent, onState) => {
  let source;
  let timer;
  let position;
  let wasLive = false;

  /** The stored rows, once. */
  const readLatest = async (opened) => {
    if (!wasLive) {
      const answer = await fetch(`${serviceUrl}/demo/events?limit=${PAGE}&order=desc`);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { events } = await answer.json();
      for (const event of events.reverse()) onEvent(event);
    }
    if (source !== opened) return;
    wasLive = true;
    onState("live");
  };

  // An EventSource goes on by itself after some failures and gives up after others, differently in each browser:
  // starting it anew here is one way for all of them.
  const open = () => {
    onState(wasLive ? "reconnecting" : "connecting");
    const where = position === undefined ? "" : `?after=${position}`;
    const opened = new EventSource(`${serviceUrl}/demo/events/stream${where}`);
    source = opened;
    const again = () => {
      opened.close();
      if (source !== opened) return;
      onState(wasLive ? "reconnecting" : "connecting");
      clearTimeout(timer);
      timer = setTimeout(open, RETRY_MS);
    };
    // The stream has its position before stored rows are asked for, so that nothing falls between the two.
    opened.addEventListener("listening", (message) => {
      position = message.lastEventId;
      readLatest(opened).catch(again);
    });
    opened.addEventListener("event", (message) => {
      position = message.lastEventId;
      onEvent(JSON.parse(message.data));
    });
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
