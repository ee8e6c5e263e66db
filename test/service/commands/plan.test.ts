/** `plan`: what came, as an app's compiler reads it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, expect, it } from "vitest";
import { ROOT } from "../../support/launch.js";
import { useCommands, useFolder } from "../support/fixtures.js";

// Where the compiler finds `tracklet` as the package that it is.
const folder = useFolder(join(ROOT, "build"));
const { run, withService } = useCommands();
beforeAll(async () => {
  await withService(async ({ post }) => {
    const send = (event_uid: string, params?: object) => post({ contact_uid: "ann", event_uid, params });
    await send("signed_up", { plan: "team", seats: 3, account_uid: "acme" });
    await send("signed_up", { plan: "free", seats: null, via: ["mail"] });
    await send("logout");
    await send('odd */ "name"', { "a-b": { c: 1 } });
    await send("pageview", { visit_url: "https://shop.example/" });
  });
});

/** What the compiler says of these calls, a line each, beside the plan. */
const errorsOf = async (plan: string, calls: string): Promise<string[]> => {
  const [declared, app] = [join(folder, "events.ts"), join(folder, "app.ts")];
  await writeFile(declared, plan.replaceAll('"tracklet"', JSON.stringify(join(ROOT, "src/index.js"))));
  await writeFile(app, `import { track } from ${JSON.stringify(join(ROOT, "src/index.js"))};\n${calls}`);
  const program = ts.createProgram([declared, app], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const wrong = ts.getPreEmitDiagnostics(program).filter(({ file }) => file?.fileName.startsWith(folder));
  return wrong.map(({ file, start }) => file!.text.slice(file!.text.lastIndexOf("\n", start) + 1).split("\n", 1)[0]!);
};

it("writes types by which an app's calls are checked against what came", async () => {
  const { out, err } = await run("plan");
  expect(err).toMatch(/^\d+ names\n$/);
  const right = [
    'track("signed_up", { plan: "team", seats: null });',
    'track("signed_up", { plan: "team", seats: 3, via: ["ad"], account_uid: "acme" });',
    'track("logout");',
    'track("odd */ \\"name\\"", { "a-b": {} });',
  ];
  const wrong = [
    'track("sign_up", { plan: "team", seats: 3 });',
    'track("signed_up", { seats: 3 });',
    'track("signed_up", { plan: 5, seats: 3 });',
    'track("logout", { plan: "team" });',
  ];
  expect(await errorsOf(out, `${[...right, ...wrong].join("\n")}\n`)).toEqual(wrong);
});

it("has no page views, which are the script's own, and nothing of what a stamp adds", async () => {
  await withService(async ({ post }) => {
    const stamp = { event_id: crypto.randomUUID(), event_source: crypto.randomUUID(), event_seq: 1 };
    await post({
      contact_uid: "ann",
      event_uid: "stamped",
      params: { ...stamp, occurred_at: Date.now(), plan: "team" },
    });
  });
  const { out } = await run("plan");
  expect(out).toMatch(
    /\n {4}\/\*\* 1 events since \d{4}-\d\d-\d\d\. \*\/\n {4}"stamped": \{\n {6}"plan": string;\n {4}\};\n/,
  );
  expect(out).not.toContain("pageview");
});

it("writes the same as JSON Schema, page views too", async () => {
  const { properties } = JSON.parse((await run("plan", "--as", "schema")).out);
  expect(properties.signed_up).toMatchObject({
    description: expect.stringMatching(/^2 events since \d{4}-\d\d-\d\d$/),
    properties: {
      plan: { type: "string", description: "in 2 events" },
      seats: { type: ["null", "number"] },
      via: { type: "array", description: "in 1 events" },
    },
    required: ["plan", "seats"],
  });
  expect(Object.keys(properties.stamped.properties)).toEqual(["plan"]);
  expect(Object.keys(properties)).toContain("pageview");
});
