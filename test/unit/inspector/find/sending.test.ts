/** Whether the inspector says that events may leave, and when. */
import { describe, expect, it } from "vitest";
import { consentOf } from "../../../../src/inspector/find/consent.js";
import { nextAttempt } from "../../../../src/inspector/find/sending.js";
import { all, answered, type Case, finding, HTTP, PENDING, QUIET, say, TAG } from "../say.js";

/** Under way when its page was left. */
const LEFT = { event: "left", contact: "c", visitUrl: "", failures: 0, isUndecided: true };

describe("consent", () => {
  it.each([
    ["by the option", {}, {}, { options: { ...TAG, consent: "denied" } }, 'The option consent is "denied"'],
    ["by mute", {}, {}, { options: { ...TAG, mute: true } }, "The option mute is on"],
    ["by the browser's signal", { hasGpc: true, tag: { ...TAG, respectGpc: "" } }, {}, {}, "Global Privacy Control"],
    [
      "by this browser's owner",
      {},
      { mutedUntil: Date.UTC(2027, 0, 2, 12) },
      { options: { ...TAG, mute: true } },
      "until January 2, 2027",
    ],
    ["by the visitor", {}, { consent: "denied" }, {}, "The visitor has refused"],
    ["by the visitor, without storage", {}, {}, { isDenied: true }, "The visitor has refused"],
  ])("denied %s is told, and shown, whatever was chosen", (_, snapshot, stored, activity, text) => {
    const chosen = { consent: "granted", ...stored };
    expect(say({ ...QUIET, ...activity }, snapshot, chosen)).toEqual([finding("note", text)]);
    const page = all(activity, snapshot, chosen);
    expect(consentOf(...page)).toBe("denied: nothing is stored or sent");
    expect(nextAttempt(...page)).toBe("none, as things are");
  });

  it.each([
    [TAG, "granted", "granted by the visitor: sending is allowed"],
    [TAG, "", "no choice is stored: sending is allowed"],
    [PENDING.tag, "", "pending: nothing is stored or sent until optIn() is called"],
    [
      TAG,
      "",
      "no choice is stored: sending is allowed; the browser sends Global Privacy Control, and respectGpc is off",
      true,
    ],
  ])("that is not denied: %j, %j", (tag, consent, text, hasGpc = false) =>
    expect(consentOf(...all({}, { tag, hasGpc }, { consent }))).toBe(text),
  );
});

it.each<Case>([
  ["once there is something to send"],
  ["once somebody is identified", {}, {}, { eventCount: 1, events: [{ ...LEFT, contact: "", isUndecided: false }] }],
  ["once there is something to send", {}, {}, { eventCount: 1, events: [LEFT] }],
  ["once the visitor agrees", { inMemory: 2 }, PENDING],
  ["at once", {}, {}, { readyMs: 1 }],
  ["none yet", QUIET, {}, { readyMs: 1 }],
  ["in 2 s", {}, {}, { readyMs: 1, pauseMs: 1_001 }],
  ["in 2 s", answered(408), {}, { readyMs: 1, pauseMs: 1_001 }],
  [
    "in 296 s; a corrected page delivers when it is loaded, 8 s after the last attempt",
    answered(401),
    {},
    { pauseMs: 295_001 },
  ],
  ["none, as things are", {}, { isOnline: false }, { readyMs: 1, pauseMs: 1 }],
  ["none, as things are", {}, { tag: { ...TAG, apiToken: "" } }, { readyMs: 1 }],
  ["none, as things are", {}, { global: "idle" }, { readyMs: 1 }],
  ["none, as things are", {}, { global: "waiting" }],
  ["none, as things are", { address: HTTP }, {}, { readyMs: 1 }],
])("the next attempt: %s", (text, ...page) => expect(nextAttempt(...all(...page))).toBe(text));
