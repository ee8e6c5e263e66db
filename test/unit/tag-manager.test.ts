/**
 * The template for Google Tag Manager: its very code, against the APIs that it requires, as Google documents them. Google's own
 * sandbox is not part of it.
 */
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it, vi } from "vitest";

/** A file of sections, each below its name between underscores. */
const parts = readFileSync(new URL("../../demo/tag-manager/tracklet.tpl", import.meta.url), "utf8").split(
  /^___(\w+)___$/m,
);
const section = (name: string): string => parts[parts.indexOf(name) + 1]!;
const CODE = section("SANDBOXED_JS_FOR_WEB_TEMPLATE");
const FIELDS: string[] = JSON.parse(section("TEMPLATE_PARAMETERS")).map(({ name }: { name: string }) => name);

const SCRIPT = "https://cdn.example.com/tracklet.iife.js";
const CONFIG = { verb: "init", scriptUrl: SCRIPT, apiToken: "token", trackUrl: "https://track.example.com" };

/** Fires a tag on a page. @returns what became of it, the rights that it has used, and the members of `data` that it has read */
const fire = (given: Record<string, unknown>, page: Record<string, unknown> = {}) => {
  const [gtmOnSuccess, gtmOnFailure] = [vi.fn(), vi.fn()];
  const load = vi.fn((_url: string, done: () => void, _failed: () => void) => done());
  const [used, read] = [new Set<string>(), new Set<string>()];
  page.loadedByTagManager ??= new Set<string>();
  const loaded = page.loadedByTagManager as Set<string>;
  const apis: Record<string, (...args: never[]) => unknown> = {
    copyFromWindow: (key: string) => {
      used.add(`read ${key}`);
      return page[key];
    },
    createQueue: (key: string) => {
      used.add(`read ${key}`).add(`write ${key}`);
      page[key] ??= [];
      if (!Array.isArray(page[key])) throw new Error(`${key} is no array`);
    },
    // What crosses between the code and the page is copied.
    callInWindow: (path: string, call: unknown) => {
      used.add(`execute ${path}`);
      (page.tracklet as unknown[]).push(structuredClone(call));
    },
    injectScript: (url: string, done: () => void, failed: () => void, token: string) => {
      used.add(`inject ${new URL("*", url)}`);
      if (loaded.has(token)) return done();
      loaded.add(token);
      load(url, done, failed);
    },
    makeTableMap: (rows: Record<string, unknown>[], key: string, value: string) =>
      Object.fromEntries(rows.map((row) => [row[key], row[value]])),
  };
  const data = new Proxy<Record<string, unknown>>(
    { ...given, gtmOnSuccess, gtmOnFailure },
    {
      get: (own, name: string) => {
        read.add(name);
        return own[name];
      },
    },
  );
  // Nothing else is there.
  const names: Record<PropertyKey, unknown> = { require: (name: string) => apis[name], data };
  const scope = new Proxy(names, {
    has: () => true,
    get: (_, name) => names[name] ?? (typeof name === "string" && expect.fail(`not in the sandbox: ${name}`)),
    set: (_, name) => expect.fail(`not in the sandbox: ${String(name)}`),
  });
  new Function("scope", `with (scope) { ${CODE} }`)(scope);
  return { page, load, used, read, gtmOnSuccess, gtmOnFailure };
};

describe("the template file", () => {
  it("has the fields that its code reads, and asks for the rights that it uses, and for no others", () => {
    const fired = ["init", "identify", "track", "pageview", "reset"].map((verb) => fire({ ...CONFIG, verb }));
    const read = new Set(fired.flatMap((each) => [...each.read]));
    expect(read).toEqual(new Set([...FIELDS, "gtmOnFailure", "gtmOnSuccess"]));
    const used = new Set(fired.flatMap((each) => [...each.used]));
    const asked = ["read tracklet", "write tracklet", "execute tracklet.push", "inject https://cdn.example.com/*"];
    expect(used).toEqual(new Set(asked));
    const texts = (...all: string[]) => all.map((string) => ({ type: 1, string }));
    const rights = (key: string, ...granted: boolean[]) => ({
      type: 3,
      mapKey: texts("key", "read", "write", "execute"),
      mapValue: [...texts(key), ...granted.map((boolean) => ({ type: 8, boolean }))],
    });
    const permissions: { instance: { param: unknown[] } }[] = JSON.parse(section("WEB_PERMISSIONS"));
    const globals = [rights("tracklet", true, true, false), rights("tracklet.push", false, false, true)];
    expect(permissions.flatMap(({ instance }) => instance.param)).toEqual([
      { key: "keys", value: { type: 2, listItem: globals } },
      { key: "urls", value: { type: 2, listItem: texts("https://cdn.example.com/*") } },
    ]);
  });

  it("is written in what the sandbox knows of the language", () => {
    const kinds = new Set<string>();
    const visit = (node: ts.Node): void => {
      kinds.add(ts.SyntaxKind[node.kind]);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile("template.js", CODE, ts.ScriptTarget.ES2020, false, ts.ScriptKind.JS));
    const unknown =
      /^(NewExpression|ThisKeyword|Class|Spread|\w+BindingPattern|ForOf|Template|NoSubstitution|Await|Yield|RegularExpression|QuestionDot|Shorthand|ComputedProperty|Try|Throw)/;
    expect([...kinds].filter((kind) => unknown.test(kind))).toEqual([]);
    expect(kinds).toContain("ArrowFunction");
  });
});

describe("a tag made of it", () => {
  it("configures with every option that is given, leaves the others to their defaults, and loads the script", () => {
    const given = { pageviews: "hash", consent: "pending", eventPath: "/e", name: "shop", accountUid: "account-1" };
    const { page, load, gtmOnSuccess } = fire({ ...CONFIG, ...given, contactUid: "" });
    expect(page.tracklet).toEqual([["init", { apiToken: "token", trackUrl: "https://track.example.com", ...given }]]);
    expect(load.mock.calls.map(([url]) => url)).toEqual([SCRIPT]);
    expect(gtmOnSuccess).toHaveBeenCalledOnce();
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
