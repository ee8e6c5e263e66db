import { expect, test, track } from "../harness/fixtures.js";
import { open, run, warningsOf } from "../harness/install.js";
import { problems } from "../harness/module.js";

/* Arguments of another kind than asked for: taken where that is certain, and never passed over in silence. */

test("params whose JSON is no object are reported, and left out", async ({ page, site, app, expectRows }) => {
  app();
  await open(page, site.url);
  const cases = {
    text: `"text"`,
    date: "new Date()",
    url: "new URL(location.href)",
    list: `["a", "b"]`,
    boxed: `Object("text")`,
    turned_into_text: `{ good: 1, toJSON: () => "text" }`,
  };
  for (const [uid, params] of Object.entries(cases)) await run(page, `tracklet.track("${uid}", ${params})`);
  const rows = await expectRows(Object.keys(cases));
  expect(Object.fromEntries(rows.map(({ event_uid, params }) => [event_uid, params]))).toEqual(
    Object.fromEntries(Object.keys(cases).map((uid) => [uid, {}])),
  );
  const told = await problems(page);
  expect(told).toEqual(Object.keys(cases).map(() => ({ code: "input", detail: expect.stringMatching(/params/) })));
});

test("a contact and an account given as numbers are taken as text", async ({ page, site, service }) => {
  const contact = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  site.page("/", site.html({ identify: false }));
  await open(page, site.url);
  await run(page, `tracklet.identify(${contact}, 7); tracklet.track("numbered")`);
  const rows = () => service.rows(`${contact}`);
  await expect
    .poll(async () => (await rows()).map(({ event_uid, params }) => [event_uid, params]), { timeout: 10_000 })
    .toEqual([["numbered", { account_uid: "7" }]]);
});

test("each wrong argument is told in the console once, by verb and argument", async ({ page, site, expectRows }) => {
  const warnings = warningsOf(page);
  await open(page, site.url);
  for (let time = 1; time <= 2; time++)
    await run(page, `tracklet.track("told", "text"); tracklet.identify({}); tracklet.track(null)`);
  // What was wrong has changed nothing.
  await track(page, "known");
  await expectRows(["told", "told", "known"]);
  const named = (verb: RegExp, argument: RegExp) =>
    warnings.filter((warning) => verb.test(warning) && argument.test(warning)).length;
  expect(named(/track\b.*params|params.*track\b/, /params/), warnings.join("\n")).toBe(1);
  expect(named(/identify/, /contactUid/), warnings.join("\n")).toBe(1);
  expect(named(/track\b/, /eventUid/), warnings.join("\n")).toBe(1);
  expect(warnings).toHaveLength(3);
});
