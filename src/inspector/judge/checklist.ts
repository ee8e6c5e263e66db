import type { Tag } from "../watch/page-state.js";
import { runs } from "../watch/scripts.js";
import { visible } from "../watch/visible.js";
import { called } from "./calls.js";
import {
  bad,
  type Cause,
  type Evidence,
  good,
  isGood,
  judge,
  type Look,
  ofSilence,
  policyOn,
  type State,
  seconds,
  unknown,
  waits,
} from "./evidence.js";
import { given, isExample, ofName } from "./option-faults.js";
import { answered, kept, preflight, sent, stored } from "./stored-and-sent.js";

const allowed = ({ page, stored, activity, denial, isPending }: Evidence): Look => {
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

const named = (evidence: Evidence): Look => {
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

/** What takes longer than this is told with its time. Milliseconds. */
const LONG_MS = 3_000;

const missing = (evidence: Evidence, { hidden } = evidence.page): Cause[] => [
  ...hidden.map((where) => `A tag stands ${where}.`),
  policyOn(evidence, "script-src", "inline", "Give scripts in the page its nonce, or make files of them."),
  policyOn(evidence, "require-trusted", "trusted", "No script may set the src of another: write the tag itself."),
  "The page has no script tag of tracklet, and no app has called init. Has a tag manager to put it in? Look at its trigger and its consent.",
];

const inPage = (evidence: Evidence): Look => {
  const { name, tags, calls } = evidence.page;
  const [tag] = tags;
  if (!tag && evidence.isRunning) return good(`no tag; window.${name} is a tracker of an app's own`);
  if (!tag) {
    const seen = `no tag${calls.length > 0 ? `, and calls that wait in window.${name} (${calls.length})` : ""}`;
    return evidence.isEarly ? unknown(seen) : bad(seen, ...missing(evidence));
  }
  const { inside, markup } = tag;
  return judge(tags.length > 1 ? `${tags.length} tags, the first: ${markup}` : markup, [
    inside &&
      `Inside the tag stands ${inside}, which no browser runs beside src: close the tag with </script> before it.`,
  ]);
};

const ofIntegrity = ({ integrity }: Tag): Cause =>
  /…|\.\.\.$/.test(integrity) &&
  `integrity="${integrity}" is the documents' example: copy the hash of your build, or take it away.`;

/** What the tag itself says that is wrong, before anything is asked for. */
const ofTag = (tag: Tag, { page }: Evidence): Cause[] => {
  const { src, type, markup } = tag;
  return [
    !src && `The tag has no src: ${markup}.`,
    !runs(type) &&
      `By its type no browser runs the tag: ${markup}. Tools write that which hold scripts back until the visitor agrees: allow it there, or take the type away.`,
    isExample(src) && `${src} is the documents' example: write your own.`,
    ofIntegrity(tag),
    src.startsWith("http:") &&
      page.origin.startsWith("https:") &&
      "The page is https, and src http (mixed content): write https://.",
  ];
};

const CLOSED =
  "its host forbids other sites to load it, or does not allow it, as this page demands (Cross-Origin-Embedder-Policy; ERR_BLOCKED_BY_RESPONSE; a tab shows it): let it send Cross-Origin-Resource-Policy: cross-origin";

const ofLook = ({ type, integrity, crossOrigin, src, address }: Tag, evidence: Evidence): Cause => {
  const policy = policyOn(evidence, "script-src", src, "Name its host there, or give the tag the page's nonce.");
  const { activity, page } = evidence;
  const found = activity.script;
  if (policy || !found) return policy;
  const { status, reach } = found;
  const isDemanding = !!integrity || crossOrigin || type === "module";
  if (status >= 400) return `The answer at ${address} is ${status}: check src.`;
  if (status > 0 && !found.isOurs)
    return `What answers at ${address} is not the whole script (${found.type}): ${found.begins || "nothing"}. Check src, the file and your extensions.`;
  if (status > 0 && !/script/.test(found.type))
    return `${address} is the script, and comes as ${found.type || "no type"}, which no browser runs (nosniff): let its host send text/javascript.`;
  if (!found.hasHash) return `The file is not the one that integrity names (${integrity}): copy its hash.`;
  const asking = policyOn(evidence, "connect-src", src, "So this panel cannot ask: open the address in a tab.");
  if (status === 0 && asking) return asking;
  if (reach === "hangs")
    return `${address} is asked for, and has not answered ${seconds(page.ageMs)} after the page began: check its host.`;
  if (isDemanding && reach === "there" && new URL(src).origin !== page.origin && !(status && crossOrigin))
    return `integrity, crossorigin and type="module" need a host that sends Access-Control-Allow-Origin: *, and integrity needs crossorigin: add them, or take them away.`;
  if (reach === "nowhere") return ofSilence(address, false, CLOSED);
  if (found.isBarred && !isDemanding)
    return `${address} can be read, and not run: ${CLOSED}, or give the tag crossorigin.`;
  if (!found.wasAsked && !page.isRecordFull)
    return `The browser has never asked for the file: no tag by innerHTML runs (take createElement), nor one with nomodule.`;
};

const loaded = (evidence: Evidence): Look => {
  const { page, activity, isRunning } = evidence;
  const [tag] = page.tags;
  if (!tag) return isRunning ? good("with the app") : unknown("no tag");
  const causes = isRunning ? [ofIntegrity(tag)] : ofTag(tag, evidence);
  if (causes.some(Boolean)) return bad(tag.address || tag.markup, ...causes);
  if (isRunning) return good(tag.src);
  const { script } = activity;
  const answer = script?.status ? `${script.status} ${script.type}` : "no answer that this page may read";
  const seen = `${tag.address}: ${answer}`;
  const cause = ofLook(tag, evidence);
  if (cause) return bad(seen, cause);
  if (script?.status) return good(seen);
  if (script?.wasAsked || page.ageMs < LONG_MS) return unknown("it is asked for");
  return waits(seen, `The script has not come ${seconds(page.ageMs)} after the page began.`);
};

const ran = (evidence: Evidence): Look => {
  const { page, stored, isRunning } = evidence;
  const { name, global, calls, taken, unread } = page;
  // The tracker has run: it has sent or stored something since the page began.
  const isReplaced =
    global === "waiting" && (evidence.hasRequests || stored.events.some(({ waitedMs }) => waitedMs < page.ageMs));
  const states = {
    absent: `no window.${name}`,
    waiting: `window.${name} is an array, with calls that wait (${calls.length})`,
    idle: "the tracker, without options",
    running: "the tracker",
  };
  const seen = taken && !isRunning ? taken : states[global];
  const isMissed = !isRunning && !evidence.isEarly;
  const causes = [
    page.shadows &&
      `A script of this page has a ${name} of its own (const, let, class), which calls reach in place of window.${name}: name one of them anew (data-name).`,
    unread.length > 0 &&
      `Calls wait in ${unread.join(", ")}, where nobody reads them: the stub of another tool, or another name. Write (window.${name} = window.${name} || []).push([verb, …]).`,
    isReplaced &&
      `The script has run, and the page has put an array in its place since, where calls wait (${calls.length}). Write (window.${name} = window.${name} || []).push([verb, …]).`,
    isMissed && taken && `window.${name} is ${taken}, and no tracker.`,
  ];
  if (causes.some(Boolean) || isRunning) return judge(seen, causes);
  if (!isMissed || loaded(evidence).state !== "good") return unknown(seen);
  return bad(
    seen,
    `The script is whole, and no tracker is there: an error (${evidence.error}), an extension or another script has stopped or replaced it.`,
  );
};

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
    return "Nothing is wrong so far: an event was accepted before this panel was opened. Send a test event to see what an event holds.";
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
