// @vitest-environment happy-dom
/** What the inspector finds out by asking: at the service's address, and for a script that has not run. */
import { afterEach, expect, it, vi } from "vitest";
import { lookAtScript } from "../../../../src/inspector/ask/script.js";
import { lookAtService } from "../../../../src/inspector/ask/service.js";
import { AT } from "../say.js";
import { closed, meet, type Network, nowhere, there } from "./network.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A service that says nothing for so long that the panel gives up. */
const hangs: Network = ({ signal }) => void Object.assign(signal!, { aborted: true });

it.each<[what: string, found: object, network: Network]>([
  ["it hangs", { hangs: true }, hangs],
  ["it redirects", { isThere: true, isRedirect: true }, () => ({ type: "opaqueredirect" }) as Response],
  ["it answers, and lets nobody read", { isThere: true, isRedirect: false }, closed],
  [
    "it speaks http alone",
    { isPlain: true },
    (options, address) => (address.startsWith("http:") ? closed(options, address) : undefined),
  ],
  [
    "its host answers elsewhere",
    { isPlain: false, isHostThere: true },
    (options, address) => (address.endsWith("/") ? closed(options, address) : undefined),
  ],
  ["nothing is there", { isPlain: false, isHostThere: false }, nowhere],
])("of the service: %s", async (_, found, network) => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => ({ aborted: false }) as AbortSignal);
  meet(network);
  // What the three kinds of POST meet, only a browser tells: the list of set-ups has them.
  vi.stubGlobal("XMLHttpRequest", function (this: { send: () => void }) {
    Object.assign(this, {
      upload: {},
      open: () => {},
      setRequestHeader: () => {},
      status: 0,
      responseText: "",
      responseURL: "",
    });
    this.send = () => (this as unknown as { onloadend: () => void }).onloadend();
  });
  expect(await lookAtService(AT)).toMatchObject({ access: "granted", ...found });
});

it.each([
  ["asked", "https://shop.example", { "loopback-network": "prompt" }],
  ["refused", "https://shop.example", { "local-network-access": "denied" }],
  ["asked", "https://shop.example", {}],
  ["granted", "http://localhost:8080", { "loopback-network": "denied" }],
])(
  "of a service on this computer: access is %s, at %s with %j",
  async (access, page, states: Record<string, string>) => {
    const query = async ({ name }: { name: string }) => {
      if (!states[name]) throw new TypeError("no such permission");
      return { state: states[name] };
    };
    vi.stubGlobal("navigator", { onLine: true, permissions: { query } });
    vi.stubGlobal("location", new URL(page));
    meet(nowhere);
    expect(await lookAtService("http://127.0.0.1:4100/v1/track/event")).toMatchObject({ access });
    // Whoever asks would have the browser ask the visitor.
    expect(vi.mocked(fetch).mock.calls.length > 0).toBe(access === "granted");
  },
);

it.each<[what: string, found: object, network: Network, integrity?: string]>([
  ["404", { status: 404, isThere: true }, () => new Response("", { status: 404 })],
  [
    "a web page",
    { status: 200, type: "text/html" },
    () => new Response("", { headers: { "content-type": "text/html" } }),
  ],
  ["what the page may not read", { status: 0, isThere: true }, closed],
  [
    "nothing, at a host that answers",
    { isThere: false, isHostThere: true },
    (options, address) => (address.endsWith("/") ? closed(options, address) : undefined),
  ],
  [
    "another file than the tag names",
    { hasHash: false },
    ({ integrity }) => (integrity ? undefined : there()),
    "sha384-x",
  ],
])("of a script: %s", async (_, found, network, integrity = "") => {
  meet(network);
  const tag = { src: "https://cdn.shop.example/t.js", integrity } as HTMLScriptElement;
  expect(await lookAtScript(tag)).toMatchObject({ wasAsked: false, ...found });
});
