/** What the inspector finds wrong with options and with calls. */
import { describe, expect, it } from "vitest";
import { finding, INLINE, QUIET, say, TAG } from "../say.js";

describe("the attributes of the tag", () => {
  it.each([
    ["consent", "grantd", 'data-consent="grantd" is wrong: write granted, pending or denied'],
    ["consent", "", 'data-consent="" is wrong'],
    ["maxEvents", "1.000", "write a number above 0, in digits alone"],
    ["pageviews", "Off", 'data-pageviews="Off" is wrong: write auto, hash or off'],
    ["maxEvents", "lots", 'data-max-events="lots" is wrong: write a number above 0'],
    ["maxBytes", "0", 'data-max-bytes="0" is wrong'],
    ["maxAgeMs", "", 'data-max-age-ms="" is wrong'],
    ["stamp", "yes", 'data-stamp="yes" is wrong: write true, or leave it out'],
    ["contentType", "text", 'data-content-type="text" is wrong: write application/json or text/plain'],
    ["trackUrl", "https://", 'data-track-url="https://" is wrong: write an address'],
    ["trackUrl", "track.shop.example", "is wrong: write an address with https:// in front"],
    ["trackUrl", "localhost:4100", "is wrong: write an address with https:// in front"],
    ["trackUrl", "collect", "or a path that begins with /"],
    ["trackurl", "x", "data-trackurl is no option: perhaps data-track-url is meant."],
    ["contact", "x", "data-contact is no option: perhaps data-contact-uid is meant."],
    ["beforeSend", "clean", 'data-before-send="clean" is wrong: give a function, in a call of init'],
    ["apiToken", "tok en", "a token has neither blanks nor quotation marks"],
    ["apiToken", "“token”", 'data-api-token="“token”" is wrong: a token has neither blanks'],
    ["apiToken", "YOUR_API_TOKEN", 'data-api-token="YOUR_API_TOKEN" is the documents\' example: write your own.'],
    ["trackUrl", "https://track.example.com", "is the documents' example"],
    ["apiToken", "<?= $token ?>", 'data-api-token="<?= $token ?>" is what a template leaves'],
    ["trackUrl", "[[ service ]]", "is what a template leaves"],
  ])("%s: %j", (option, value, text) =>
    expect(say({}, { tag: { ...TAG, [option]: value } })[0]).toEqual(finding("problem", text)),
  );

  it("are not named twice where the tracker has told of them, too", () => {
    const problems = new Map([["input", new Set(["init: consent"])]]);
    const found = say({ problems }, { tag: { ...TAG, consent: "yes" } });
    expect(found.filter(({ kind }) => kind === "problem")).toEqual([finding("problem", 'data-consent="yes" is wrong')]);
  });

  it("may be another tool's", () => {
    const others = { category: "analytics", cfasync: "false", rocketSrc: "/x.js", constructor: "x", token: "theirs" };
    expect(say({}, { tag: { ...TAG, ...others } })).toEqual([]);
  });

  it("are right in all their forms", () => {
    const address = { trackUrl: "/", eventPath: "/i/e", contentType: "application/json", name: "tracklet" };
    const visitor = { contactUid: "", accountUid: "", consent: " Granted", respectGpc: "", pageviews: "hash" };
    const others = { maxEvents: "10", maxBytes: "1e6", maxAgeMs: "1", stamp: "true", debug: "false" };
    const tag = { ...TAG, ...address, ...visitor, ...others };
    expect(say({}, { tag })).toEqual([]);
  });
});

describe("the options of a call of init", () => {
  const init = (options: unknown) => say({ options }, { tag: undefined });

  it.each([
    [{ ...TAG, maxevents: 5 }, "maxevents, given to init, is no option: perhaps maxEvents, given to init, is meant."],
    [{ ...TAG, beforeSend: "no" }, 'beforeSend: "no", given to init, is wrong: give a function'],
    [{ ...TAG, trackUrl: "track.shop.example" }, 'trackUrl: "track.shop.example", given to init, is wrong: write an'],
    [{ ...TAG, category: "x" }, "category, given to init, is no option: check how it is written."],
    [{ trackUrl: "/" }, "init was given no apiToken."],
    [{}, "init was given no apiToken and no trackUrl."],
    [undefined, "init was given no options, but undefined."],
  ])("%j", (options, text) => {
    if (options) expect(init(options)).toEqual([finding("problem", text)]);
    // While the script has not loaded, its call is to be seen.
    const [, ...waiting] = say({}, { global: "waiting", tag: undefined, calls: [["init", options]] });
    expect(waiting).toEqual([finding("problem", text)]);
  });

  it("are read in the page, where they are all misspelt", () => {
    const inline = { ...INLINE, options: ["apitoken", "track_url", "pageviews"] };
    const [idle, ...found] = say(QUIET, { global: "idle", tag: undefined, inline });
    expect(idle).toEqual(finding("problem", "nothing has called init with apiToken and trackUrl, written so"));
    expect(found).toEqual([
      finding("problem", "apitoken, given to init, is no option: perhaps apiToken"),
      finding("problem", "track_url, given to init, is no option: perhaps trackUrl"),
    ]);
  });

  it("are right in all their forms", () => {
    const options = {
      ...TAG,
      contactUid: 17,
      stamp: true,
      debug: false,
      maxEvents: 10,
      consent: undefined,
      beforeSend: () => {},
      onError: () => {},
    };
    expect(init(options)).toEqual([]);
  });
});

describe("calls that wait for the script", () => {
  it.each([
    [["Identify", "c"], 'There is no verb "Identify", which push was given: perhaps "identify" is meant.'],
    [["purchase"], 'There is no verb "purchase", which push was given: the verbs are init, identify,'],
    [["identify", ""], "identify was given no contactUid"],
    [["track", { plan: "team" }], "track was given no eventUid"],
    ["track", "push was given no call"],
    [[Symbol("odd")], 'There is no verb "Symbol(odd)"'],
  ])("%#", (call, text) => {
    const [script, ...rest] = say(QUIET, {
      global: "waiting",
      calls: [call, call, ["track", "signup"], ["identify", 17]],
    });
    expect(script!.text).toContain("calls wait (4)");
    expect(rest).toEqual([finding("problem", text)]);
  });
});
