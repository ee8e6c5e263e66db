// @vitest-environment happy-dom
/** Why a script has not loaded, as the inspector finds it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createScriptCheck } from "../../../../src/inspector/find/script.js";
import { closed, meet, type Network, nowhere, there } from "../network.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a script has not loaded", () => {
  const html = new Response("<h1>Not found</h1>", { headers: { "content-type": "text/html" } });
  const forbidden = () => {
    const violation = Object.assign(new Event("securitypolicyviolation"), { effectiveDirective: "connect-src" });
    document.dispatchEvent(violation);
    return undefined;
  };

  it.each<[text: string, network: Network, tag?: Partial<HTMLScriptElement>]>([
    ["the answer is 404. Check the address in src", () => new Response("", { status: 404 })],
    ["the answer is a web page (HTML), and no script", () => html],
    ["nothing answers there", nowhere],
    ["something answers there, but what it is cannot be seen", closed],
    ["its host does not let this page read it, which crossorigin asks for", closed, { crossOrigin: "" }],
    ["why, this panel cannot ask: the page's connect-src forbids it", forbidden],
    ["though it is there: it is under way, or", there],
    ['its type is "text/plain", so the browser does not run it', there, { type: "text/plain" }],
    [
      'its type is "rocketlazyloadscript", so the browser does not run it. A tool',
      there,
      { type: "rocketlazyloadscript" },
    ],
    ["exclude the script there", there, { type: "0a1b-text/javascript" }],
    ["the page is https, and the script's address is http", there, { src: "http://cdn.shop.example/t.js" }],
    ["that is the documents' example", there, { src: "https://cdn.example.com/tracklet.iife.js" }],
    ["the tag has integrity, but no crossorigin", there, { integrity: "sha384-x" }],
    ["opened as a file may not load it with crossorigin", there, { src: "file:///t.js", crossOrigin: "" }],
  ])("%s", async (text, network, tag) => {
    meet(network);
    const script = { src: "https://cdn.shop.example/t.js", type: "", integrity: "", crossOrigin: null, ...tag };
    vi.stubGlobal("location", new URL("/page.html", tag?.src?.startsWith("file:") ? tag.src : "https://shop.example"));
    const told = vi.fn();
    createScriptCheck(told, () => false)(script as HTMLScriptElement);
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
    expect(told.mock.calls[0]![0]).toContain(`The script at ${script.src} has not loaded`);
    expect(told.mock.calls[0]![0]).toContain(text);
  });

  it("but ran, and was replaced", async () => {
    meet(there);
    const told = vi.fn();
    const script = { src: "https://cdn.shop.example/t.js", type: "", integrity: "", dataset: { name: "shop" } };
    createScriptCheck(told, () => true)(script as never);
    await vi.waitFor(() =>
      expect(told).toHaveBeenCalledWith(expect.stringContaining("(window.shop = []): calls reach")),
    );
  });
});
