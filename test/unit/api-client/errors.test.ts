/** The typed errors of `tracklet/read` and `tracklet/send`, also after a bundler has renamed them. */

import { readFileSync } from "node:fs";
import { minify } from "terser";
import ts from "typescript";
import { expect, it } from "vitest";
import * as errors from "../../../src/api-client/errors.js";

const { ApiError, AuthenticationError, ConnectionError, NotFoundError, RateLimitError, TimeoutError, TrackletError } =
  errors;

it.each([
  [ApiError, TrackletError],
  [NotFoundError, ApiError],
  [AuthenticationError, ApiError],
  [RateLimitError, ApiError],
  [ConnectionError, TrackletError],
  [TimeoutError, TrackletError],
  [TrackletError, Error],
])("%o derives from %o, keeps its cause and shows in JSON what it was told", (Kind, parent) => {
  const cause = new Error("below");
  const error = Object.assign(new Kind("above", { cause }), { status: 404, retryAfterMs: 0 });
  expect(error).toBeInstanceOf(parent);
  expect(error.cause).toBe(cause);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ status: 404, retryAfterMs: 0 });
});

it("keep their names, in the stack too, when the classes are renamed", async () => {
  const source = readFileSync(new URL("../../../src/api-client/errors.ts", import.meta.url), "utf8");
  const options = { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ESNext };
  const script = ts.transpileModule(source, { compilerOptions: options }).outputText;
  const names = Object.keys(errors);
  const text = `${script.replace(/^export /gm, "")}\nexport const kinds = [${names}];`;
  const { code = "" } = await minify(text, { module: true });
  expect(code).not.toContain("class NotFoundError");
  const { kinds } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  for (const [at, name] of names.entries())
    for (const error of [new kinds[at]("what happened"), new (errors as never as typeof kinds)[name]("what happened")])
      expect([error.name, String(error), error.stack]).toEqual([
        name,
        `${name}: what happened`,
        expect.stringContaining(`${name}: what happened`),
      ]);
});
