import { readFileSync } from "node:fs";
import { minify } from "terser";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as errors from "../../../src/server/errors.js";

const { ApiError, AuthenticationError, ConnectionError, NotFoundError, RateLimitError, TimeoutError, TrackletError } =
  errors;

const details = {
  status: 404,
  method: "GET",
  url: "https://api.example.com/v2/users",
  error: "not found",
  headers: new Headers(),
  retryAfterMs: 0,
};

describe("the errors", () => {
  it.each([
    [ApiError, TrackletError],
    [NotFoundError, ApiError],
    [AuthenticationError, ApiError],
    [RateLimitError, ApiError],
    [ConnectionError, TrackletError],
    [TimeoutError, TrackletError],
    [TrackletError, Error],
  ])("%o derives from %o", (kind, parent) => expect(kind.prototype).toBeInstanceOf(parent));

  it.each(Object.entries(errors))("%s answers to its name, in its stack too", (name, Kind) => {
    const error = new Kind("what happened");
    expect(error.name).toBe(name);
    expect(error.stack).toMatch(`${name}: what happened`);
    expect(String(error)).toBe(`${name}: what happened`);
  });

  it("show what the answer told, in JSON too", () => {
    const error = Object.assign(new NotFoundError("what happened"), details);
    expect(error).toMatchObject(details);
    expect(JSON.parse(JSON.stringify(error))).toEqual({ ...details, headers: {} });
  });

  it("keep their cause", () => {
    const cause = new Error("below");
    expect(new ConnectionError("above", { cause })).toHaveProperty("cause", cause);
  });
});

it("keeps the names when the classes are renamed", async () => {
  const source = readFileSync(new URL("../../../src/server/errors.ts", import.meta.url), "utf8");
  const options = { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ESNext };
  const script = ts.transpileModule(source, { compilerOptions: options }).outputText;
  const names = Object.keys(errors);
  const text = `${script.replace(/^export /gm, "")}\nexport const kinds = [${names}];`;
  const { code = "" } = await minify(text, { module: true });
  expect(code).not.toContain("class NotFoundError");
  const { kinds } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  expect(kinds.map((Kind: typeof TrackletError) => new Kind("what happened").name)).toEqual(names);
});
