/** What is wrong, or worth knowing, in words. Nothing to speak of: the last answer was good. */
import { isGood, ofSilence, ofStatus } from "./answer.js";
import { denialOf } from "./consent.js";
import { isStuck, noRequest } from "./delivery.js";
import type { Heard } from "./heard.js";
import { configures, mistakesIn } from "./options.js";
import type { Seen } from "./seen.js";
import type { Stored } from "./stored.js";

export interface Finding {
  kind: "problem" | "note";
  text: string;
}

const ofPage = ({ name, global, calls, tag }: Seen): string[] => {
  const found: string[] = [];
  if (global === "absent") found.push(`There is no tracker on this page: no global is called ${name}.`);
  if (global === "waiting")
    found.push(
      `The script has not loaded, and calls wait (${calls}): check the tag's address, the page's script-src, and whether an extension of the browser blocks it.`,
    );
  if (global === "idle")
    found.push(
      "The tracker has no options, and calls wait for them: no tag has data-api-token and data-track-url, and nothing has called init with apiToken and trackUrl. Where a tag manager takes attributes away, call init.",
    );
  if (configures(tag) && !tag.apiToken) found.push("The tag has no data-api-token.");
  if (configures(tag) && !tag.trackUrl) found.push("The tag has no data-track-url.");
  return [...found, ...mistakesIn(tag ?? {})];
};

const ofAnswers = ({ isOnline }: Seen, { pauseMs }: Stored, heard: Heard): string[] => {
  // While a pause stands, what led to it has not passed, whatever else was under way.
  const last = heard.answers.find(({ status }) => pauseMs === 0 || !isGood(status));
  // What the browser itself has kept of a request may lack the answer.
  if (!isOnline || !last || isGood(last.status) || (!last.status && !last.event)) return [];
  return [last.status > 0 ? ofStatus(last.status, heard.address) : ofSilence(heard)];
};

const ofTold = ({ problems }: Heard): string[] => {
  const found: string[] = [];
  if (problems.has("input")) found.push(`An option or an argument is wrong: ${problems.get("input")}.`);
  if (problems.has("rejected"))
    found.push(`An event was dropped, because the service refuses it: ${problems.get("rejected")}.`);
  if (problems.has("evicted"))
    found.push(`An event was dropped, because too many wait or too long: ${problems.get("evicted")}.`);
  return found;
};

const notesOf = (seen: Seen, stored: Stored, heard: Heard): string[] => {
  const notes: string[] = [];
  if (!seen.isOnline) notes.push("The browser is offline. Events are kept until it is back.");
  const anonymous = stored.contact ? 0 : stored.events.filter(({ contact }) => !contact).length;
  if (anonymous > 0) notes.push(`Events wait for identify (${anonymous}): the service needs a contact.`);
  if (!stored.isThere) notes.push("This page has no localStorage: events wait in memory, and end with the page.");
  const denial = denialOf(seen, stored, heard);
  if (denial) notes.push(`${denial}: nothing is stored or sent.`);
  else if (heard.pending > 0 && stored.consent !== "granted")
    notes.push(`Events wait in memory for the visitor's consent (${heard.pending}).`);
  return notes;
};

/** That nothing wrong was found does not mean that anything arrives. */
const ofDoubt = (seen: Seen, stored: Stored, heard: Heard, isExplained: boolean): string[] => {
  const isSure = heard.answers.some(({ status }) => isGood(status));
  if (isSure || !seen.isOnline || denialOf(seen, stored, heard)) return [];
  if (heard.hasRequests) return ["No answer to a request has been seen yet."];
  return [isExplained ? "No request has been seen yet." : noRequest(seen, stored)];
};

export const findingsOf = (seen: Seen, stored: Stored, heard: Heard): Finding[] => {
  const problems = [...ofPage(seen), ...ofAnswers(seen, stored, heard), ...ofTold(heard)];
  if (isStuck(seen, stored, heard))
    problems.push(
      "An event waits, and no request is made: check that apiToken and trackUrl are given, and the consent.",
    );
  const notes = notesOf(seen, stored, heard);
  if (problems.length === 0) notes.push(...ofDoubt(seen, stored, heard, notes.length > 0));
  return [
    ...problems.map((text): Finding => ({ kind: "problem", text })),
    ...notes.map((text): Finding => ({ kind: "note", text })),
  ];
};
