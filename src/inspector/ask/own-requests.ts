/** What the panel finds out by asking, without an event: at the service's address, and for a script that has not run. */
import { EVENT_PATH } from "../../shared/option-values.js";
import { short } from "../watch/visible.js";

/** What says nothing for so long hangs. Milliseconds. */
const HANG_MS = 3_000;

/** This computer, addresses of networks of one's own (RFC 1918, RFC 3927, RFC 4193, RFC 4291), and names that only such networks know. */
const LOCAL =
  /^(10|127|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^\[(::1|f[c-e].*)\]$|^[^.]+$|\.(localhost|test|local|lan|internal|arpa)$/i;

/** Does a page of the internet ask for something further inside, which browsers ask about (WICG, Local Network Access)? */
const isInside = (address: string, origin: string): boolean =>
  /^https?:/.test(origin) && !LOCAL.test(new URL(origin).hostname) && LOCAL.test(new URL(address).hostname);

const ask = (address: string, options: RequestInit): Promise<Response | "hang" | undefined> => {
  const signal = AbortSignal.timeout(HANG_MS);
  const request = { credentials: "omit", referrerPolicy: "origin", cache: "no-store", signal, ...options } as const;
  return fetch(address, request).catch(() => (signal.aborted ? "hang" : undefined));
};

/** Does anything answer there, readable or not? `"hangs"`: it takes the request, and says nothing. */
export type Reach = "there" | "nowhere" | "hangs";

const reachOf = (found: Response | "hang" | undefined): Reach =>
  found === "hang" ? "hangs" : found ? "there" : "nowhere";

const reach = async (address: string): Promise<Reach> => reachOf(await ask(address, { mode: "no-cors" }));

/** What a POST meets: its status, 0 where the page may not read it; and where it was led to. */
export type Met = { status: number; isPage: boolean; leadsTo: string };

/** A POST of an empty text, past a `fetch` of the page's own. Redirects it follows, which the tracker does not; JSON needs a preflight. */
const post = (address: string, type: string): Promise<Met> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => {
      const { status, responseURL } = request;
      const isPage = /html/.test(request.getResponseHeader("Content-Type") ?? "");
      resolve({ status, isPage, leadsTo: responseURL === address ? "" : responseURL });
    };
    request.timeout = HANG_MS;
    request.open("POST", address);
    request.setRequestHeader("Content-Type", type);
    request.send("");
  });

/** Is it what takes events: not a page, and not what knows no such path? */
export const isEndpoint = ({ status, isPage, leadsTo }: Met): boolean =>
  status > 0 && !isPage && !leadsTo && ![404, 405, 421, 501].includes(status);

/**
 * What answers (`"inside"`: the browser would ask the visitor first); what a POST without a preflight meets, and one as the tracker
 * sends them; and where else something takes events.
 */
export interface ServiceLook extends Partial<Record<"plain" | "json", Met>> {
  reach: Reach | "inside";
  isRedirect?: boolean;
  other?: string;
}

/** @param address of the event endpoint, without its query */
export const lookAtService = async (address: string): Promise<ServiceLook> => {
  if (isInside(address, location.origin)) return { reach: "inside" };
  // Past the page's own `fetch`.
  const json = await post(address, "application/json");
  if (isEndpoint(json)) return { reach: "there", plain: json, json };
  const first = await ask(address, { method: "POST", body: "", redirect: "manual" });
  const found = first ? reachOf(first) : await reach(address);
  const plain = found === "there" ? await post(address, "text/plain") : undefined;
  const look = { reach: found, isRedirect: (first as Response | undefined)?.type === "opaqueredirect", plain, json };
  if (plain && isEndpoint(plain)) return look;
  const [secure, usual] = [address.replace(/^http:/, "https:"), new URL(EVENT_PATH, address).href];
  for (const other of new Set([secure, usual, new URL(EVENT_PATH, secure).href]))
    if (other !== address && isEndpoint(await post(other, "text/plain"))) return { ...look, other };
  return look;
};

const get = (src: string, options: RequestInit = {}): Promise<Response | "hang" | undefined> =>
  ask(src, { credentials: "same-origin", cache: "default", ...options });

export type ScriptLook = Awaited<ReturnType<typeof lookAtScript>>;

/** As the browser did for the tag. @param tag whose `src` is an address */
export const lookAtScript = async ({ src, integrity }: HTMLScriptElement) => {
  const wasAsked = performance.getEntriesByName(src, "resource").length > 0;
  const found = await get(src);
  const answer = found === "hang" ? undefined : found;
  const text = (await answer?.text().catch(() => "")) ?? "";
  return {
    wasAsked,
    status: answer?.status ?? 0,
    type: answer?.headers.get("Content-Type") ?? "",
    // A whole tracker's names the token as requests do.
    begins: short(text, 80),
    isOurs: text.includes("api_token="),
    reach: found ? reachOf(found) : await reach(src),
    // As a tag without crossorigin asks.
    isBarred: !!answer && (await reach(src)) === "nowhere",
    hasHash: !integrity || !answer?.ok || (await get(src, { integrity })) instanceof Response,
  };
};

/** The frame of this page whose file, of this site, has a tag: into frames of other origins nobody can look. */
export const lookAtFrames = async (): Promise<string | undefined> => {
  for (const { src } of document.querySelectorAll("iframe")) {
    const found = src.startsWith(`${location.origin}/`) && (await get(src));
    if (found instanceof Response && (await found.text()).includes("data-track-url")) return src;
  }
};
