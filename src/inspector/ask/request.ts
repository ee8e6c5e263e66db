/** Requests of the panel's own, without an event: what they meet tells what the tracker's meet. */
import { wordsOf } from "../watch/visible.js";

/** What says nothing for so long hangs. Milliseconds. */
const HANG_MS = 3_000;

/** What comes back: nothing, where nothing answers or the page may not read it. */
export const ask = (address: string, options: RequestInit): Promise<Response | "hang" | undefined> => {
  const signal = AbortSignal.timeout(HANG_MS);
  const request = { credentials: "omit", referrerPolicy: "origin", cache: "no-store", signal, ...options } as const;
  return fetch(address, request).catch(() => (signal.aborted ? "hang" : undefined));
};

/** Does anything answer there, readable or not; or at the root of its host, where an extension that blocks a path lets it pass? */
export const reach = async (address: string): Promise<"there" | "host" | "nowhere"> => {
  const isThere = async (url: string) => (await ask(url, { mode: "no-cors" })) instanceof Response;
  if (await isThere(address)) return "there";
  return (await isThere(new URL("/", address).href)) ? "host" : "nowhere";
};

/** What a POST meets: its status, 0 where the page may not read it, and its words; and where it was led to. */
export type Met = { status: number; words: string; isPage: boolean; leadsTo: string };

/**
 * A POST of an empty text, past a `fetch` that the page has put in the browser's place.
 *
 * @param type its `Content-Type`: that of JSON needs a preflight which allows the field
 */
export const post = (address: string, type: string): Promise<Met> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => {
      const { status, responseText, responseURL } = request;
      const isPage = /html/.test(request.getResponseHeader("Content-Type") ?? "");
      resolve({ status, words: wordsOf(responseText), isPage, leadsTo: responseURL === address ? "" : responseURL });
    };
    request.timeout = HANG_MS;
    request.open("POST", address);
    request.setRequestHeader("Content-Type", type);
    request.send("");
  });
