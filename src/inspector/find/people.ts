/** Who the events belong to, and what may be stored and sent of them. */
import { visible } from "../watch/visible.js";
import { bad, type Cause, type Evidence, good, judge, type Look, unknown, waits } from "./evidence.js";
import { ofName } from "./rules.js";

export const allowed = ({ page, stored, denial, isPending }: Evidence): Look => {
  const by = page.consentTool && `, by ${page.consentTool} or what listens to it`;
  const pending = `Consent is pending until optIn() or optOut() is called${by}. Until then events wait in memory, and end with the page.`;
  const choice = stored.consent ? "granted by the visitor" : "no choice is stored, and none is asked for";
  const signal = page.hasGpc ? "; the browser sends Global Privacy Control, and respectGpc is off" : "";
  if (denial) return waits(denial, `${denial}: nothing is stored or sent.`);
  return isPending ? waits("no choice yet", pending) : good(`${choice}${signal}`);
};

/** What is in sight that should have named somebody, and has not. */
const missed = ({ page, activity }: Evidence): Cause[] => {
  const { isEmptied, formerContact } = activity;
  const outer = page.inline.calls.filter(({ isOuter }) => isOuter).map(({ verb }) => verb);
  const at = outer.indexOf("identify");
  const isReset = at >= 0 && outer.indexOf("reset", at) > at;
  return [
    ...page.strays.map(
      ({ options, markup }) =>
        options.contactUid &&
        `data-contact-uid stands on another element, where nobody reads it: ${markup}. Write it on the tag of the script.`,
    ),
    isReset &&
      "A script in this page calls identify, and reset after it, which forgets who was named. Call reset at a log-out alone.",
    isEmptied &&
      `"${visible(formerContact)}" was named before, and the row of it is gone, though reset leaves one: the storage was emptied. Remove the page's own keys alone, or call identify on each page.`,
    at >= 0 &&
      !(isReset || isEmptied) &&
      "A call of identify stands in a script of this page, and has not reached the tracker: the script was stopped, by an error or by the page's policy (the console shows it). data-contact-uid names somebody without a script.",
  ];
};

export const named = (evidence: Evidence): Look => {
  const { page, stored, activity, contact } = evidence;
  const { account, hasIdentity } = stored;
  const waiting = stored.events.filter((event) => !event.contact).length;
  if (contact)
    return judge(`contact "${visible(contact)}", ${account ? `account "${visible(account)}"` : "no account"}`, [
      ofName("contact", contact),
      account && ofName("account", account),
    ]);
  const seen = hasIdentity ? "nobody, since a log-out (reset)" : "nobody";
  if (evidence.isPending) return good("not stored while consent is pending");
  if (page.global !== "running") return unknown(seen);
  // What is removed is told at once; what may be on its way, later.
  const causes = evidence.isEarly && !activity.isEmptied ? [] : missed(evidence);
  if (causes.some(Boolean)) return bad(seen, ...causes);
  if (evidence.isEarly && waiting === 0) return unknown(seen);
  const what = waiting > 0 ? `Events wait for a log-in (${waiting}). ` : "";
  const since = hasIdentity ? "What is tracked now is dropped, until somebody logs in. " : "";
  return waits(
    seen,
    `${what || since}On a page before the log-in that is right. Behind it, call identify, or write data-contact-uid.`,
  );
};
