/** The template for Google Tag Manager: its very code, against the APIs and permissions that it declares. */
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it, vi } from "vitest";
import { parseTemplate, runTemplate } from "../support/tag-manager.js";

const template = parseTemplate(readFileSync(new URL("../../demo/tag-manager/tracklet.tpl", import.meta.url), "utf8"));
const { grants } = template;
const SCRIPT = "https://cdn.example.com/tracklet.iife.js";
const CONFIG = { verb: "init", scriptUrl: SCRIPT, apiToken: "token", trackUrl: "https://track.example.com" };

const fire = (data: Record<string, unknown>, page: Record<string, unknown> = {}, allowed = grants) => {
  const [gtmOnSuccess, gtmOnFailure] = [vi.fn(), vi.fn()];
  const load = vi.fn((_url: string, done: () => void, _failed: () => void) => done());
  const read = new Set<string>();
  const watched = new Proxy<Record<string, unknown>>(
    { ...data, gtmOnSuccess, gtmOnFailure },
    {
      get: (given, name) => {
        read.add(String(name));
        return Reflect.get(given, name);
      },
    },
  );
  runTemplate({ code: template.code, grants: allowed }, watched, page, load);
  return { page, load, read, gtmOnSuccess, gtmOnFailure };
};

describe("the template file", () => {
  it("is a tag for websites", () => expect(template.info).toMatchObject({ type: "TAG", containerContexts: ["WEB"] }));

  it("has a field for each member of `data` that its code reads, and no other", () => {
    const verbs = ["init", "identify", "track", "pageview", "reset"];
    const read = verbs.flatMap((verb) => [...fire({ ...CONFIG, verb }).read]);
    const fields = template.parameters.map(({ name }) => name);
    expect(new Set(read)).toEqual(new Set([...fields, "gtmOnFailure", "gtmOnSuccess"]));
  });

  it("asks for one global and one script, and for no right that it does not use", () => {
    const globals = [
      { key: "tracklet", read: true, write: true, execute: false },
      { key: "tracklet.push", read: false, write: false, execute: true },
    ];
    expect(grants).toEqual({ globals, scripts: ["https://cdn.example.com/*"] });
    for (const [key, right] of [
      ["tracklet", "read"],
      ["tracklet", "write"],
      ["tracklet.push", "execute"],
    ]) {
      const less = globals.map((global) => (global.key === key ? { ...global, [right!]: false } : global));
      expect(() => fire(CONFIG, {}, { ...grants, globals: less })).toThrow(`${right} ${key}`);
    }
    expect(() => fire(CONFIG, {}, { ...grants, scripts: [] })).toThrow("inject_script");
  });

  it("is written in what the sandbox knows of the language", () => {
    const kinds = new Set<string>();
    const visit = (node: ts.Node): void => {
      kinds.add(ts.SyntaxKind[node.kind]);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile("template.js", template.code, ts.ScriptTarget.ES2020, false, ts.ScriptKind.JS));
    const unknown =
      /^(NewExpression|ThisKeyword|Class|Spread|\w+BindingPattern|ForOf|Template|NoSubstitution|Await|Yield|RegularExpression|QuestionDot|Shorthand|ComputedProperty|Try|Throw)/;
    expect([...kinds].filter((kind) => unknown.test(kind))).toEqual([]);
    expect(kinds).toContain("ArrowFunction");
  });
});

describe("a tag made of it", () => {
  it("configures, then loads the script", () => {
    const { page, load, gtmOnSuccess } = fire(CONFIG);
    expect(page.tracklet).toEqual([["init", { apiToken: "token", trackUrl: "https://track.example.com" }]]);
    expect(load.mock.calls.map(([url]) => url)).toEqual([SCRIPT]);
    expect(gtmOnSuccess).toHaveBeenCalledOnce();
  });

  it("passes on every option that is given, and leaves the others to their defaults", () => {
    const given = { pageviews: "hash", consent: "pending", eventPath: "/e", name: "shop", accountUid: "account-1" };
    const { page } = fire({ ...CONFIG, ...given, contactUid: "" });
    const [[, config]] = page.tracklet as [[string, object]];
    expect(config).toEqual({ apiToken: "token", trackUrl: "https://track.example.com", ...given });
  });

  it("fired again, loads the script once, and tells a loaded one of the configuration", () => {
    const { page } = fire(CONFIG);
    const push = vi.fn();
    page.tracklet = { push };
    const { load, gtmOnSuccess } = fire({ ...CONFIG, contactUid: "contact-1" }, page);
    expect(load).not.toHaveBeenCalled();
    expect(gtmOnSuccess).toHaveBeenCalledOnce();
    expect(push.mock.calls).toEqual([[["init", expect.objectContaining({ contactUid: "contact-1" })]]]);
  });

  it("fails when the script cannot be loaded", () => {
    const { load, gtmOnFailure } = fire(CONFIG);
    expect(gtmOnFailure).not.toHaveBeenCalled();
    load.mock.calls[0]![2]();
    expect(gtmOnFailure).toHaveBeenCalledOnce();
  });

  const params = [{ name: "plan", value: "pro" }];
  it.each([
    [{ verb: "track", eventUid: "sign_up", params }, ["track", "sign_up", { plan: "pro" }]],
    [{ verb: "track", eventUid: "sign_up" }, ["track", "sign_up", {}]],
    [{ verb: "pageview", params }, ["pageview", { plan: "pro" }]],
    [{ verb: "identify", contactUid: "c", accountUid: "a" }, ["identify", "c", "a"]],
    [{ verb: "reset" }, ["reset"]],
    [{ verb: "optIn" }, ["optIn"]],
    [{ verb: "optOut" }, ["optOut"]],
  ])("%j calls %j, also before the script", (data, command) => {
    const { page, load, gtmOnSuccess } = fire(data);
    expect(page.tracklet).toEqual([command]);
    expect(load).not.toHaveBeenCalled();
    expect(gtmOnSuccess).toHaveBeenCalledOnce();
  });
});
