/** Who the events belong to, and what may be stored and sent of them. */
import { visible } from "../watch/visible.js";
import { bad, type Cause, type Evidence, good, judge, type Look, policyOn, unknown, waits } from "./evidence.js";
import { ofName } from "./options.js";

export const allowed = ({ page, stored, activity, denial, isPending }: Evidence): Look => {
  const made = activity.calls.find(({ verb }) => /^opt(In|Out)$/.test(verb));
  const standing = page.written.find(({ verb, isOuter }) => isOuter && /^opt(In|Out)$/.test(verb));
  const who = made
    ? `${made.verb} was called ${made.isByItself ? "before the visitor did anything" : "by the page"}${made.caller && `, at ${made.caller}`}`
    : standing && `A script of this page has ${standing.source}, at every load`;
  const pending = `Consent is pending until optIn() or optOut() is called, by the page or its consent tool. Events wait in memory, and end with the page.`;
  const choice = stored.consent ? "granted by the visitor" : "no choice is stored, and none is asked for";
  if (denial)
    return waits(
      denial,
      `${denial}: nothing is stored or sent.`,
      who
        ? `${who}.`
        : stored.consent === "denied" &&
            "Does a script refuse at every load? Reload with the panel (?tracklet_inspect), and it names the caller.",
    );
  return isPending ? waits("no choice yet", pending) : good(`${choice}${who ? `; ${who}` : ""}`);
};

/** What is in sight that should have named somebody, and has not. */
const missed = (evidence: Evidence): Cause[] => {
  const { page, stored, activity, hasRequests, options, error } = evidence;
  const { told, formerContact } = activity;
  // An event is sent of somebody alone: where one was, somebody was named.
  const isEmptied = activity.isEmptied || (hasRequests && !stored.hasIdentity && options.identity !== "page");
  const { name, taken } = page;
  const calls = page.written.filter(({ by }) => by !== "function");
  const call = calls.find(({ verb, isOuter }) => isOuter && verb === "identify");
  const reset = calls.find(({ verb }, at) => verb === "reset" && at > calls.indexOf(call!));
  // Who was named was sent nowhere before the reset.
  const isReset = call && (reset?.isOuter || (stored.hasIdentity && !hasRequests));
  const caller = activity.calls.find(({ verb }) => verb === "reset")?.caller;
  const why =
    policyOn(evidence, "script-src", "inline", "Give the script its nonce, or make a file of it") ||
    (taken && `before the script, window.${name} is ${taken}, which has no push: give one of them another name`) ||
    (call?.by === "method" &&
      `before our script has run that is an error: write ${name}.push(["identify", …]), which waits`) ||
    `an error has stopped its script (${error}). data-contact-uid needs no script`;
  return [
    isReset &&
      `A script of this page has ${call.source}, and reset was called (${caller || reset?.source || "here, or on an earlier page"}), which forgets who was named: call it at a log-out.`,
    isEmptied &&
      `${visible(formerContact) || "Somebody"} was named before, and is gone without a reset: the storage was emptied. Remove your own keys alone.`,
    call &&
      !(isReset || hasRequests || activity.isEmptied || told.get("input")?.has("identify: contactUid")) &&
      `A script of this page has ${call.source}, which has not reached the tracker: ${why}.`,
  ];
};

export const named = (evidence: Evidence): Look => {
  const { page, stored, activity, contact, account, options } = evidence;
  const { hasIdentity } = stored;
  const waiting = stored.events.filter((event) => !event.contact).length;
  if (contact)
    return judge(`contact "${visible(contact)}", ${account ? `account "${visible(account)}"` : "no account"}`, [
      ofName("contact", contact),
      account && ofName("account", account),
    ]);
  const seen = hasIdentity ? "nobody, since a log-out (reset)" : "nobody";
  if (evidence.isPending || evidence.denial) return good("nobody is stored while that is not allowed");
  if (activity.isUnstored) return unknown("in memory alone");
  if (page.global !== "running") return unknown(seen);
  // What is removed is told at once; what may be on its way, later.
  const causes = evidence.isEarly && !activity.isEmptied ? [] : missed(evidence);
  if (causes.some(Boolean)) return bad(seen, ...causes);
  if (evidence.isEarly && waiting === 0) return unknown(seen);
  const since = hasIdentity ? "What is tracked now is dropped, until somebody logs in." : "";
  const what =
    options.identity === "page"
      ? 'With identity: "page" events wait in memory until this page calls identify, and end with it.'
      : waiting > 0
        ? `Events wait for a log-in (${waiting}).`
        : since;
  const right = "Before the log-in that is right. Behind it, call identify, or write data-contact-uid.";
  const later = page.written.find(({ verb, isOuter }) => verb === "identify" && !isOuter);
  return waits(seen, `${what} ${right}`, later && `A script of this page has ${later.source}, which has not run yet.`);
};
