/** Where the snippet finds its configuration, and what it says when there is none. */
import { Window } from "happy-dom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Hub } from "../../src/types.js";

/** What of the page's window the snippet uses. */
const NAMES = ["document", "history", "location", "localStorage", "Document", "EventTarget", "History"] as const;
let page: Window;
let globals: Record<string, Hub | unknown[] | undefined>;
const OPTIONS = { apiToken: "token", trackUrl: "https://track.example", contactUid: "ann", pageviews: "off" };

/** A tag with these options in the page. */
const tag = (options: Record<string, string>, parent: ParentNode = document.head): HTMLScriptElement => {
  const script = document.createElement("script");
  script.type = "x";
  Object.assign(script.dataset, options);
  parent.append(script);
  return script;
};
/** Runs the snippet, as this tag or as none that the page knows of. */
const run = async (current: HTMLScriptElement | null): Promise<void> => {
  vi.spyOn(page.Document.prototype, "currentScript", "get").mockReturnValue(current as never);
  vi.resetModules();
  await import("../../src/snippet.js");
};
const keys = (): string[] =>
  Object.keys(localStorage)
    .filter((key) => key.includes(":event2:"))
    .map((key) => `${key.split(":")[0]} ${/"event_uid":"(\w+)"/.exec(localStorage[key])?.[1]}`);
const track = (name: string, uid: string): unknown => (globals[name] as Hub).push(["track", uid]);

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  page = new Window({ url: "https://site.example/" });
  globals = page as never;
  for (const name of NAMES) vi.stubGlobal(name, page[name]);
  vi.stubGlobal("window", page);
  vi.stubGlobal("requestAnimationFrame", () => 0);
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  // No answer: what is tracked stays to be looked at.
  vi.stubGlobal("fetch", () => new Promise(() => {}));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("takes the attributes of its own tag for options", async () => {
  tag({ ...OPTIONS, name: "mine" });
  await run(tag(OPTIONS));
  track("tracklet", "a");
  expect([keys(), globals.mine]).toEqual([["tracklet a"], undefined]);
  expect(warn).not.toHaveBeenCalled();
});

it("takes them from a tag that is in no document", async () => {
  await run(tag(OPTIONS, document.createDocumentFragment()));
  track("tracklet", "a");
  expect(keys()).toEqual(["tracklet a"]);
});

it("looks for a tag of its own where the page does not say which one is running", async () => {
  tag({ other: "vendor" });
  tag({ ...OPTIONS, name: "mine" });
  await run(null);
  track("mine", "a");
  expect([keys(), globals.tracklet, warn.mock.calls]).toEqual([["mine a"], undefined, []]);
});

describe.each([
  ["a tag without attributes", () => tag({})],
  ["no tag at all", () => null],
])("with %s", (_, current) => {
  it("says once what is missing, and takes a configuration that comes later", async () => {
    globals.tracklet = [["track", "a"]];
    await run(current());
    expect(warn.mock.calls).toEqual([["tracklet: no apiToken, trackUrl"]]);
    (globals.tracklet as unknown as Hub).push(["init", OPTIONS]);
    expect(keys()).toEqual(["tracklet a"]);
    expect(warn).toHaveBeenCalledTimes(1);
  });
  it("is configured by a call that waits", async () => {
    globals.tracklet = [
      ["track", "a"],
      ["init", OPTIONS],
    ];
    await run(current());
    expect(keys()).toEqual(["tracklet a"]);
    expect(warn).not.toHaveBeenCalled();
  });
  it("leaves a tracker alone that is there", async () => {
    await run(tag(OPTIONS));
    const hub = globals.tracklet;
    for (const script of document.head.children) script.remove();
    await run(current());
    expect(globals.tracklet).toBe(hub);
    track("tracklet", "a");
    expect([keys(), warn.mock.calls]).toEqual([["tracklet a"], []]);
  });
});
