/** The tag stands in the page, and its script has run. */
import { bad, type Cause, type Evidence, good, judge, type Look, policyOn, unknown } from "./evidence.js";
import { loaded } from "./loaded.js";

/** Why no tag is to be seen. */
const missing = (evidence: Evidence, { hidden, manager } = evidence.page): Cause[] => [
  ...hidden.map((where) => `A tag stands ${where}.`),
  policyOn(evidence, "script-src", "inline", "Give scripts that stand in the page its nonce, or make files of them."),
  policyOn(evidence, "require-trusted", "trusted", "No script may set the src of another: write the tag itself."),
  manager &&
    `${manager} is on this page, and its tag for tracklet has not fired: look at its trigger, and whether it waits for a consent.`,
  "The page has no script tag of tracklet, and no app has called init.",
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
      `Inside the tag stands ${inside}: no browser runs what is inside a tag that has src. Close the tag with </script>, and give that one of its own.`,
  ]);
};

export const ran = (evidence: Evidence): Look => {
  const { name, global, calls, inline, taken, strayCalls } = evidence.page;
  const states = {
    absent: `no window.${name}`,
    waiting: `window.${name} is an array, with calls that wait (${calls.length})`,
    idle: "the tracker, without options",
    running: "the tracker",
  };
  const seen = taken && !evidence.isRunning ? taken : states[global];
  const isMissed = !evidence.isRunning && !evidence.isEarly;
  const causes = [
    inline.shadows &&
      `A script of this page has a variable of its own called ${name} (const or let), which stands before window.${name}: the page's calls reach that. Give the tracker a data-name of its own, or that another name.`,
    global === "waiting" &&
      evidence.hasRequests &&
      `The script has run, and the page has put an array in its place afterwards (window.${name} = []): calls reach nobody. Write window.${name} = window.${name} || [].`,
    strayCalls &&
      `Calls wait in window.tracklet (${strayCalls}), and nothing takes them over: this tracker is called ${name}. Write window.${name} in the page's calls, or take data-name away.`,
    isMissed && taken && `window.${name} is ${taken}: nothing of ours took it over.`,
  ];
  if (causes.some(Boolean) || evidence.isRunning) return judge(seen, causes);
  if (!isMissed || loaded(evidence).state !== "good") return unknown(seen);
  return bad(
    seen,
    "The script is whole, and has not run: it threw an error (see the console), or an extension stopped it.",
  );
};
