import { showLive } from "/shared/live.js";
import { watchService } from "./service.js";

/** Milliseconds that the service gets for an answer. */
const PATIENCE_MS = 5_000;

const read = async (query) => {
  const answer = await fetch(`/events?${query}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()).data;
};
const { markOutages } = showLive(document.querySelector("main"), read);
watchService(({ outages }) => markOutages(outages));
