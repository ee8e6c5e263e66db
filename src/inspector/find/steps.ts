/** The way of an event from the tag to the table, step by step: what must be there, and what is. */
import { answered, kept, preflight } from "./answer.js";
import { called } from "./calls.js";
import type { Evidence, Look, State } from "./evidence.js";
import { loaded } from "./loaded.js";
import { given } from "./options.js";
import { inPage, ran } from "./page.js";
import { allowed, named } from "./people.js";
import { sent, stored } from "./sending.js";

/** A line of what the panel shows. */
export interface Line {
  state: State;
  title: string;
  text: string;
  /** Word for word. */
  note: string;
}

export type Step = Line & Pick<Look, "causes">;

/** Each with its name, and what must be there. */
const STEPS: [title: string, text: string, look: (evidence: Evidence) => Look][] = [
  ["In the page", "one script tag of tracklet, or an app that bundles it", inPage],
  ["Loaded", "a file of JavaScript, which the page may load", loaded],
  ["Ran", "the tracker in its global", ran],
  ["Options", "apiToken and trackUrl, each option as it is written in the documents", given],
  ["Calls", "verbs that exist, with texts as uids and names", called],
  ["Named", "a contact: the service stores events of contacts", named],
  ["Allowed", "nobody has refused, and nothing is left out", allowed],
  ["Stored here", "an event in the storage of this page, until the service has it", stored],
  ["Sent", "a request that leaves the page and reaches something", sent],
  ["Preflight", "OPTIONS is answered with 2xx and allows this page to send JSON", preflight],
  ["Answered", "an answer with 2xx that this page may read", answered],
  ["Stored at the service", "the service itself says that it has the event", kept],
];

/**
 * Walks an event from the tag to the table. Behind the first step that stops it, only what has itself been seen to be wrong is
 * told: of the others nothing can be known, unless an event has come through all the same.
 */
export const walk = (evidence: Evidence): Step[] => {
  let hasStopped = false;
  return STEPS.map(([title, text, look]) => {
    const { state, seen: note, causes } = look(evidence);
    const isGrey = state === "unknown" || (hasStopped && state !== "bad" && !evidence.isProven);
    hasStopped ||= state === "bad" || state === "waits";
    return isGrey ? { state: "unknown", title, text, note: "", causes: [] } : { state, title, text, note, causes };
  });
};
