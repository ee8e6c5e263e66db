import { showLive } from "/shared/live.js";
import { loadContacts } from "./contacts.js";
import { watchService } from "./service.js";

/** Milliseconds that the service gets for an answer. */
const PATIENCE_MS = 5_000;

const contacts = await loadContacts();
const named = (records) => new Map(records.map(({ uid, name }) => [uid, name]));
const names = { contacts: named(contacts), accounts: named(contacts.flatMap(({ accounts }) => accounts)) };
const read = async (query) => {
  const answer = await fetch(`/events?${query}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()).data;
};
const { markOutages } = showLive(document.querySelector("main"), read, names);
watchService(({ outages }) => markOutages(outages));
