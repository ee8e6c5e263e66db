// @vitest-environment happy-dom
/** What the inspector finds out by asking: at the service's address, and for a script that has not run. The list of set-ups has the rest. */
import { afterEach, expect, it, vi } from "vitest";
import { lookAtScript, lookAtService } from "../../../../src/inspector/ask/look.js";
import { AT, SITE } from "../say.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** What a request meets: an answer, or none. */
type Network = (options: RequestInit, address: string) => Response | undefined;
const meet = (network: Network) =>
  vi.stubGlobal(
    "fetch",
    vi.fn(async (address: string, options: RequestInit) => {
      const answer = network(options, address);
      if (!answer) throw new TypeError("Failed to fetch");
      return answer;
    }),
  );
const nowhere = () => undefined;
/** A host that does not let the page read what it answers. */
const closed: Network = ({ mode }) => (mode === "no-cors" ? new Response() : undefined);
/** A service that says nothing for so long that the panel gives up. */
const hangs: Network = ({ signal }) => void Object.assign(signal!, { aborted: true });

/** What a POST meets, only a browser tells: here an endpoint at one address, and nothing elsewhere. */
const postTo = (endpoint: string) =>
  vi.stubGlobal(
    "XMLHttpRequest",
    class {
      onloadend = () => {};
      setRequestHeader = () => {};
      getResponseHeader = () => null;
      status = 0;
      responseURL = "";
      open = (_: string, address: string) => {
        this.responseURL = address;
        this.status = address === endpoint ? 401 : 0;
      };
      send = () => this.onloadend();
    },
  );

it.each<[what: string, found: object, network: Network]>([
  ["it hangs", { reach: "hangs" }, hangs],
  ["it redirects", { reach: "there", isRedirect: true }, () => ({ type: "opaqueredirect" }) as Response],
  ["nothing is there", { reach: "nowhere" }, nowhere],
])("of the service: %s", async (_, found, network) => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => ({ aborted: false }) as AbortSignal);
  meet(network);
  postTo("");
  expect(await lookAtService(AT)).toMatchObject(found);
});

it.each([AT.replace("https:", "http:"), `${SITE}/collect`, "http://shop.example/collect"])(
  "behind %s, the address where events are taken is looked for",
  async (address) => {
    meet(nowhere);
    const other = new URL("/v1/track/event", address.replace("http:", "https:")).href;
    postTo(other);
    expect(await lookAtService(address)).toMatchObject({ other });
  },
);

it("a service on this computer is not asked by a page of the internet, since the browser would ask the visitor", async () => {
  vi.stubGlobal("location", new URL("https://shop.example"));
  meet(nowhere);
  expect(await lookAtService("http://127.0.0.1:4100/v1/track/event")).toEqual({ reach: "inside" });
  expect(fetch).not.toHaveBeenCalled();
});

it.each<[what: string, found: object, network: Network]>([
  ["what the page may not read", { status: 0, reach: "there" }, closed],
  [
    "what the page may read, and its tag not run",
    { status: 200, isBarred: true },
    ({ mode }) => (mode ? undefined : new Response()),
  ],
  ["another file than the tag names", { hasHash: false }, ({ integrity }) => (integrity ? undefined : new Response())],
])("of a script: %s", async (_, found, network) => {
  meet(network);
  const tag = { src: "https://cdn.shop.example/t.js", integrity: "sha384-x" } as HTMLScriptElement;
  expect(await lookAtScript(tag)).toMatchObject({ wasAsked: false, ...found });
});
