/** The tag stands in the page, its file has loaded, and the script has run. */
import type { Tag } from "../watch/page.js";
import { runs } from "../watch/scripts.js";
import type { Cause, Evidence, Look } from "./evidence.js";
import { bad, good, judge, ofSilence, policyOn, seconds, unknown, waits } from "./evidence.js";
import { isExample } from "./options.js";

/** What takes longer than this is told with its time. Milliseconds. */
const LONG_MS = 3_000;

const missing = (evidence: Evidence, { hidden } = evidence.page): Cause[] => [
  ...hidden.map((where) => `A tag stands ${where}.`),
  policyOn(evidence, "script-src", "inline", "Give scripts in the page its nonce, or make files of them."),
  policyOn(evidence, "require-trusted", "trusted", "No script may set the src of another: write the tag itself."),
  "The page has no script tag of tracklet, and no app has called init. Has a tag manager to put it in? Look at its trigger and its consent.",
];

export const inPage = (evidence: Evidence): Look => {
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

export const loaded = (evidence: Evidence): Look => {
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

export const ran = (evidence: Evidence): Look => {
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
