/** The tag stands in the page, and its script has run. */
import { bad, type Cause, type Evidence, good, judge, type Look, unknown } from "./evidence.js";
import { loaded } from "./loaded.js";

/** Why no tag is to be seen. */
const missing = ({ page, activity }: Evidence): Cause[] => [
  ...page.hidden.map((where) => `A tag stands ${where}.`),
  activity.violations.some(({ directive }) => /trusted-types/.test(directive)) &&
    `Trusted types: the page's Content-Security-Policy (require-trusted-types-for 'script') stops a script that sets the src of another. Write the tag into the page, with its nonce, or give that script a policy of trusted types.`,
  page.manager &&
    `${page.manager} is on this page, and its tag for tracklet has not fired: look at its trigger, at its preview, and whether it waits for a consent.`,
  activity.violations.some(({ directive, url }) => directive.startsWith("script-src") && url === "inline") &&
    `The page's Content-Security-Policy stops scripts that stand in the page: give them its nonce, or make a file of them.`,
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
  const tokens = new Set(tags.map(({ options }) => options.apiToken).filter(Boolean));
  const { inside, markup } = tag;
  const isOpen = inside.includes("<script");
  return judge(tags.length > 1 ? `${tags.length} tags, the first: ${markup}` : markup, [
    isOpen &&
      `The tag is not closed, so it swallows the next one: inside it stands ${inside}. Write </script> behind it.`,
    inside &&
      !isOpen &&
      `Inside the tag stands ${inside}: no browser runs what is inside a tag that has src. Give it a tag of its own.`,
    tokens.size > 1 &&
      `Tags with another apiToken stand beside each other («${[...tokens].join("», «")}»): the first holds. Leave one alone, or give one a data-name of its own.`,
  ]);
};

export const ran = (evidence: Evidence): Look => {
  const { page, activity } = evidence;
  const { name, global, calls, inline, taken, strayCalls } = page;
  const states = {
    absent: `no window.${name}`,
    waiting: `window.${name} is an array, with calls that wait (${calls.length})`,
    idle: "the tracker, without options",
    running: "the tracker",
  };
  const seen = taken && !evidence.isRunning ? taken : states[global];
  const isReplaced = global === "waiting" && (evidence.hasRequests || (activity.script?.status && inline.replaces));
  const isMissed = !evidence.isRunning && !evidence.isEarly;
  const causes = [
    inline.shadows &&
      `A script of this page has a variable of its own called ${name} (const or let), which stands before window.${name}: the page's calls reach that. Give the tracker a data-name of its own, or that another name.`,
    isReplaced &&
      `The script has run, and the page has put an array in its place afterwards (window.${name} = []): calls reach nobody. Write window.${name} = window.${name} || [].`,
    strayCalls &&
      `Calls wait in window.tracklet (${strayCalls}), and nothing takes them over: this tracker is called ${name}. Write window.${name} in the page's calls, or take data-name away.`,
    isMissed && taken && `window.${name} is ${taken}: nothing of ours took it over.`,
  ];
  if (causes.some(Boolean) || evidence.isRunning) return judge(seen, causes);
  if (!isMissed || loaded(evidence).state !== "good") return unknown(seen);
  return bad(
    seen,
    "The script is there and has not run: it is under way, it threw an error (the console shows it), or an extension of the browser stopped it.",
  );
};
