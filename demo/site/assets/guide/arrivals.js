/** Milliseconds between two questions to the service. */
const ASK_MS = 500;

/**
 * Which clicks the service has stored, and when: `Map` from a click's id to the times at which it was stored, more than one
 * where it was stored twice. Empty while the service does not answer.
 *
 * @param {string} contact uid
 */
const readArrivals = async (contact) => {
  const arrivals = new Map();
  const query = new URLSearchParams({ contact_uid: contact, event_uid: CLICK, order: "desc", limit: "50" });
  const answer = await fetch(`/events?${query}`).catch(() => undefined);
  if (!answer?.ok) return arrivals;
  for (const { params, received_at: at } of (await answer.json()).data)
    arrivals.set(params.click, [...(arrivals.get(params.click) ?? []), at]);
  return arrivals;
};

/** The event that the guide's button tracks. */
export const CLICK = "guide_click";

/** Tells `listener` of the arrivals for as long as it asks for more: it returns the contact to ask about, or nothing. */
export const watchArrivals = async (listener) => {
  let arrivals = new Map();
  for (;;) {
    const contact = listener(arrivals);
    if (contact && !document.hidden) arrivals = await readArrivals(contact);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
};
