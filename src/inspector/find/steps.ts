/** The way of an event from the tag to the table, step by step: what must be there, what is, and what is said first of it. */
import { called } from "./calls.js";
import { type Evidence, isGood, type Look, type State, seconds } from "./evidence.js";
import { given } from "./options.js";
import { allowed, named } from "./people.js";
import { answered, kept, preflight, sent, stored } from "./sending.js";
import { inPage, loaded, ran } from "./tag.js";

/** A line of what the panel shows, and beside it what is there, word for word. */
export type Line = { state: State } & Record<"title" | "text" | "note", string>;

export type Step = Line & Pick<Look, "causes">;

/** What is found, the headline in a sentence. */
export type Findings = { state: State; headline: string; causes: Line[]; steps: Step[] };

/** Each with its name, and what must be there. */
const STEPS: [title: string, text: string, look: (evidence: Evidence) => Look][] = [
  ["In the page", "one tag of tracklet, or an app with it", inPage],
  ["Loaded", "a script that the page may load", loaded],
  ["Ran", "the tracker in its global", ran],
  ["Options", "apiToken, trackUrl, and options as documented", given],
  ["Calls", "verbs that exist, with texts as uids and names", called],
  ["Named", "a contact, to whom events belong", named],
  ["Allowed", "nobody has refused", allowed],
  ["Stored here", "an event, as it was given, until it is delivered", stored],
  ["Sent", "a request that leaves the page and reaches something", sent],
  ["Preflight", "OPTIONS allows this page to send JSON", preflight],
  ["Answered", "an answer with 2xx that this page may read", answered],
  ["Stored at the service", "the service says so, and the event holds what was meant", kept],
];

/** From here on a step speaks of a request: where one has left, what is wrong before has not stopped it. */
const SENT = STEPS.findIndex(([, , look]) => look === sent);

export const clock = (epoch: number): string => new Date(epoch).toLocaleTimeString();

/** What is known where nothing is wrong or waited for, and no event was heard. */
const soFar = ({ failures, stored, isProven }: Evidence): string => {
  if (isProven)
    return "Nothing is wrong so far: an event was accepted before this panel was opened. What it held, a test event shows.";
  if (failures > 0) return `Sending has failed (${failures} ×). Why is not known yet.`;
  if (stored.readyMs > 0) return `Nothing wrong is to be seen; an event waits since ${seconds(stored.readyMs)}.`;
  return "Nothing wrong is to be seen, and nothing was sent yet.";
};

const headlineOf = (evidence: Evidence, steps: Step[], wrong: Step[]): [state: State, headline: string] => {
  const { accepted, isProven } = evidence;
  const [stop, ...others] = wrong.map(({ title }) => `“${title}”`);
  const also = others.length > 0 ? ` Not right either: ${others.join(", ")}.` : "";
  const where = isProven ? "An event was accepted, but not all is right" : "It stops";
  if (stop) return ["bad", `${where} at ${stop}.${also}`];
  const waiting = steps.find(({ state }) => state === "waits");
  if (waiting) return ["waits", `Nothing is wrong so far. It waits at “${waiting.title}”.`];
  if (!accepted || !isProven || !isGood(evidence.last?.status ?? 0)) return ["unknown", soFar(evidence)];
  const { sent: events, status, words, at } = accepted;
  const names = events.map(({ event }) => event).join(", ") || "an event";
  return ["good", `Working: “${names}” was stored at ${clock(at)} (${`${status} ${words}`.trim()}).`];
};

/**
 * Walks an event from the tag to the table. Behind the first step that stops it, only what has itself been seen to be wrong is
 * told: of the others nothing can be known, unless an event has come through all the same. What stops it is said first.
 */
export const walk = (evidence: Evidence): Findings => {
  const isStop = ({ state }: { state: State }, at: number): boolean =>
    state === "waits" || (state === "bad" && (!evidence.hasRequests || at >= SENT));
  let hasStopped = false;
  const steps = STEPS.map(([title, text, look], at): Step => {
    const { state, seen, causes } = look(evidence);
    const isGrey = state === "unknown" || (hasStopped && state !== "bad" && !evidence.isProven);
    const note = isGrey && hasStopped ? "" : seen;
    hasStopped ||= isStop({ state }, at);
    return isGrey ? { state: "unknown", title, text, note, causes: [] } : { state, title, text, note, causes };
  });
  const stop = steps.filter((step, at) => step.state === "bad" && isStop(step, at));
  const wrong = [...stop, ...steps.filter((step) => step.state === "bad" && !stop.includes(step))];
  const [state, headline] = headlineOf(evidence, steps, wrong);
  const said = [...wrong, ...steps.filter((step) => !wrong.includes(step))];
  const causes = said.flatMap((step) => step.causes.map((text) => ({ ...step, text, note: "" })));
  return { state, headline, steps, causes };
};
