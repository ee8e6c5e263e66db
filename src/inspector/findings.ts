/** What is wrong, or worth knowing, in words. Nothing to speak of: the last answer was good. */
import { hostInPath, isGood, OF_WEB_PAGE, ofSilence, ofStatus } from "./answer.js";
import { mistakesInCalls } from "./calls.js";
import { denialOf } from "./consent.js";
import { isStuck, noRequest } from "./delivery.js";
import type { Heard } from "./heard.js";
import { configures, mistakesInInit, mistakesInTag } from "./options.js";
import type { Seen } from "./seen.js";
import { SHOWN, type Stored } from "./stored.js";

export interface Finding {
  kind: "problem" | "note";
  text: string;
}

/** The script has not loaded: why, where a tag says what should have. */
const ofScript = ({ name, global, calls, tag }: Seen, { script }: Heard): string[] => {
  if (global !== "absent" && global !== "waiting") return [];
  const waiting = calls.length > 0 ? ` Calls wait (${calls.length}).` : "";
  if (script) return [script + waiting];
  if (global === "absent")
    return [
      tag
        ? "The script of the tag has not loaded yet."
        : `There is no tracker on this page: no global is called ${name}.`,
    ];
  return [
    `The script has not loaded, and calls wait (${calls.length}): check the tag's address, the page's script-src, and whether an extension of the browser blocks it.`,
  ];
};

const ofPage = (seen: Seen, heard: Heard): string[] => {
  const { global, calls, tag } = seen;
  const found = ofScript(seen, heard);
  if (global === "idle")
    found.push(
      "The tracker has no options, and calls wait for them: no tag has data-api-token and data-track-url, and nothing has called init with apiToken and trackUrl. Where a tag manager takes attributes away, call init.",
    );
  if (configures(tag) && !tag.apiToken) found.push("The tag has no data-api-token.");
  if (configures(tag) && !tag.trackUrl) found.push("The tag has no data-track-url.");
  found.push(...mistakesInTag(tag ?? {}), ...mistakesInCalls(calls));
  // What a tag configures is looked at there.
  if (heard.options && !configures(tag)) found.push(...mistakesInInit(heard.options));
  return found;
};

/** An address that was meant to be another host's. */
const ofAddress = ({ origin, tag }: Seen, { address, hasRequests }: Heard): string[] => {
  const host = hasRequests && !tag?.trackUrl ? hostInPath(address, origin) : "";
  return host ? [`Requests go to ${address}, which is a path of this page: write trackUrl with https://${host}.`] : [];
};

const ofAnswers = ({ isOnline }: Seen, { pauseMs }: Stored, heard: Heard): string[] => {
  // While a pause stands, what led to it has not passed, whatever else was under way.
  const last = heard.answers.find(({ status }) => pauseMs === 0 || !isGood(status));
  if (!isOnline || !last) return [];
  if (isGood(last.status)) return heard.isWebPage ? [OF_WEB_PAGE] : [];
  // What the browser itself has kept of a request may lack the answer. A pause says that there was none.
  if (!last.status && !last.event && pauseMs === 0) return [];
  return [last.status > 0 ? ofStatus(last.status, heard.address) : ofSilence(heard)];
};

const ofTold = ({ problems }: Heard): string[] => {
  const found: string[] = [];
  // What the options lack is told where they are looked at, and may have come since.
  const told = (code: string): string =>
    [...(problems.get(code) ?? [])].filter((detail) => !/^no (apiToken|trackUrl)/.test(detail)).join(", ");
  if (told("input")) found.push(`An option or an argument is wrong: ${told("input")}.`);
  if (problems.has("rejected"))
    found.push(`An event was dropped, because the service refuses it: ${told("rejected")}.`);
  if (problems.has("evicted"))
    found.push(`An event was dropped, because too many wait or too long: ${told("evicted")}.`);
  return found;
};

const notesOf = (seen: Seen, stored: Stored, heard: Heard): string[] => {
  const notes: string[] = [];
  if (!seen.isOnline) notes.push("The browser is offline. Events are kept until it is back.");
  const anonymous = stored.contact ? 0 : stored.events.filter(({ contact }) => !contact).length;
  if (anonymous > 0)
    notes.push(
      `Events wait for identify (${anonymous}${anonymous >= SHOWN ? " or more" : ""}): the service needs a contact.`,
    );
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
  const problems = [
    ...ofPage(seen, heard),
    ...ofAddress(seen, heard),
    ...ofAnswers(seen, stored, heard),
    ...ofTold(heard),
  ];
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
