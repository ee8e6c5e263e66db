/** What is wrong, or worth knowing, in words. Nothing to speak of: the last answer was good. */

import type { Activity } from "../watch/activity.js";
import { hostInPath, insideOf, isMixed } from "../watch/address.js";
import type { Snapshot } from "../watch/snapshot.js";
import { SHOWN, type Stored } from "../watch/stored.js";
import { ofAddOns } from "./add-ons.js";
import { ofInput } from "./calls.js";
import { denialOf, isPending } from "./consent.js";
import { ofInstallation } from "./installation.js";
import { optionsOf } from "./options.js";
import { ofPeople } from "./placeholders.js";
import { isEarly, isStuck, noRequest } from "./sending.js";
import { isGood, ofSilence, ofStatus, ofWebPage } from "./service.js";

export interface Finding {
  kind: "problem" | "note";
  text: string;
}

/** An address that was meant to be another host's. */
const ofAddress = ({ origin, tag }: Snapshot, { address, hasRequests }: Activity): string[] => {
  if (isMixed(address, origin))
    return [
      `This page is https, and the service's address, ${address}, is http: the browser lets no such request out (mixed content). Give the service a certificate, and write https://.`,
    ];
  const host = hasRequests && !tag?.trackUrl ? hostInPath(address, origin) : "";
  return host ? [`Requests go to ${address}, which is a path of this page: write trackUrl with https://${host}.`] : [];
};

const ofAnswers = (snapshot: Snapshot, { pauseMs, readyMs }: Stored, activity: Activity): string[] => {
  const { isOnline, isSandboxed, scriptOrigin } = snapshot;
  const origin = isSandboxed ? "null" : snapshot.origin;
  // While a pause stands, what led to it has not passed, whatever else was under way.
  const last = activity.answers.find(({ status }) => pauseMs === 0 || !isGood(status));
  // What is wrong with the address is told by itself.
  if (!isOnline || ofAddress(snapshot, activity).length > 0) return [];
  // Under way since before the panel could hear of it.
  const isHanging = /^(hang|asked|refused)$/.test(activity.silence) && pauseMs === 0 && readyMs > 0;
  const place = { origin, scriptOrigin, token: optionsOf(snapshot, activity).apiToken };
  if (isHanging) return [ofSilence(activity, place)];
  if (!last) return [];
  if (isGood(last.status)) return activity.isWebPage ? [ofWebPage(activity.address, origin)] : [];
  // What the browser itself has kept of a request may lack the answer. A pause says that there was none.
  if (!last.status && !last.event && pauseMs === 0) return [];
  return [last.status > 0 ? ofStatus(last.status, activity, place) : ofSilence(activity, place)];
};

const ofProblems = ({ tag }: Snapshot, { problems }: Activity): string[] => {
  const found: string[] = [];
  const told = (code: string): string => [...(problems.get(code) ?? [])].join(", ");
  // What the options lack is told where they are looked at, and may have come since. A word of a tag is looked at, too.
  const isTold = tag?.consent === undefined ? /^init: apiToken/ : /^init: (apiToken|consent)/;
  for (const detail of problems.get("input") ?? []) if (!isTold.test(detail)) found.push(ofInput(detail));
  if (problems.has("rejected"))
    found.push(`An event was dropped, because the service refuses it: ${told("rejected")}.`);
  if (problems.has("evicted"))
    found.push(`An event was dropped, because it is too large, or too many wait, or too long: ${told("evicted")}.`);
  if (problems.has("throttled"))
    found.push(
      `An event is tracked far too often, as by a loop, and what is too many is dropped: ${told("throttled")}.`,
    );
  if (problems.has("error")) found.push(`tracklet itself has failed, please report it: ${told("error")}.`);
  return found;
};

/** Can no answer be read? */
const isBlind = (snapshot: Snapshot, activity: Activity): boolean =>
  optionsOf(snapshot, activity).contentType === "text/plain";

const notesOf = (snapshot: Snapshot, stored: Stored, activity: Activity): string[] => {
  const notes: string[] = [];
  if (!snapshot.isOnline) notes.push("The browser is offline. Events are kept until it is back.");
  const pending = isPending(snapshot, stored, activity);
  const anonymous = stored.contact ? 0 : stored.events.filter(({ contact }) => !contact).length;
  if (anonymous > 0)
    notes.push(
      `Events wait for identify (${anonymous}${anonymous >= SHOWN ? " or more" : ""}): the service needs a contact. Call identify, or write data-contact-uid.`,
    );
  if (!stored.contact && !pending && snapshot.inline.identifiesDirectly)
    notes.push(
      `Nobody is identified, and a script in this page calls ${snapshot.name}.identify(…): before our script has loaded that is an error (the console says "identify is not a function"). Write ${snapshot.name}.push(["identify", …]), which waits.`,
    );
  for (const [hook, times] of activity.dropped)
    if (activity.queued > 0 || hook !== "beforeSend")
      notes.push(
        hook === "reset"
          ? `Events are dropped (${times} since this panel was opened): somebody has logged out (reset), and nobody is identified since. Call identify, or write data-contact-uid.`
          : `${hook} has dropped events (${times} since this panel was opened).`,
      );
  if (!stored.isThere)
    notes.push(
      snapshot.isSandboxed
        ? "This page is in a sandboxed frame without allow-same-origin: it has no localStorage, so events wait in memory, and end with the page. Its origin is null: the service must send Access-Control-Allow-Origin: *."
        : "This page has no localStorage: events wait in memory, and end with the page.",
    );
  else if (activity.isUnstored)
    notes.push(
      "The storage takes nothing more: it is full, also of what other scripts have put there. Events are sent from memory; those that wait, and who is identified, end with the page.",
    );
  if (isBlind(snapshot, activity))
    notes.push(
      "With text/plain no answer can be read: an event that the service refuses is lost, and nobody is told. Where the service allows this page (CORS), leave data-content-type out.",
    );
  const inside = insideOf(activity.address, snapshot.origin);
  if (inside)
    notes.push(
      `The service, ${activity.address}, is ${inside}, and this page on the internet: only browsers that are there themselves reach it. Visitors need an address on the internet.`,
    );
  const denial = denialOf(snapshot, stored, activity);
  if (denial) notes.push(`${denial}: nothing is stored or sent.`);
  else if (pending)
    notes.push(
      `Consent is pending, until optIn() or optOut() is called. Events that wait in memory: ${activity.inMemory}.`,
    );
  return notes;
};

/** That nothing wrong was found does not mean that anything arrives; a pause says at once that an attempt has failed. */
const ofDoubt = (snapshot: Snapshot, stored: Stored, activity: Activity, isExplained: boolean): string[] => {
  if (stored.pauseMs === 0 && isEarly(snapshot, activity)) return [];
  const isSure = activity.answers.some(({ status }) => isGood(status));
  if (isSure || !snapshot.isOnline || denialOf(snapshot, stored, activity)) return [];
  if (isPending(snapshot, stored, activity)) return [];
  // Its answers cannot be read, which is told.
  if (isBlind(snapshot, activity)) return [];
  if (activity.hasRequests) return ["No answer to a request has been seen yet."];
  return [isExplained ? "No request has been seen yet." : noRequest(snapshot, stored, activity)];
};

export const findingsOf = (snapshot: Snapshot, stored: Stored, activity: Activity): Finding[] => {
  const problems = [
    ...ofInstallation(snapshot, stored, activity),
    ...ofAddOns(snapshot, activity),
    ...ofPeople(stored),
    ...ofAddress(snapshot, activity),
    ...ofAnswers(snapshot, stored, activity),
    ...ofProblems(snapshot, activity),
  ];
  if (isStuck(snapshot, stored, activity))
    problems.push(
      "An event waits, and no request is made: check that apiToken and trackUrl are given, and the consent.",
    );
  const notes = notesOf(snapshot, stored, activity);
  if (problems.length === 0) notes.push(...ofDoubt(snapshot, stored, activity, notes.length > 0));
  return [
    ...problems.map((text): Finding => ({ kind: "problem", text })),
    ...notes.map((text): Finding => ({ kind: "note", text })),
  ];
};
