/** Asks for the script of a tag that has not run, as the browser did for the tag. */
import { short } from "../watch/visible.js";
import { reach } from "./request.js";

export type ScriptLook = Awaited<ReturnType<typeof lookAtScript>>;

const get = (src: string, options: RequestInit = {}): Promise<Response | undefined> =>
  fetch(src, { credentials: "same-origin", referrerPolicy: "origin", ...options }).catch(() => undefined);

/** @param tag whose `src` is an address */
export const lookAtScript = async ({ src, integrity }: HTMLScriptElement) => {
  const before = performance.getEntriesByName(src, "resource").length;
  const answer = await get(src);
  const text = (await answer?.text()) ?? "";
  return {
    /** Has the browser itself asked for it before? */
    wasAsked: before > 0,
    /** 0: nothing that the page may read. */
    status: answer?.status ?? 0,
    type: answer?.headers.get("Content-Type") ?? "",
    /** How it begins, and whether it is a whole tracker's: it names the token as requests do. */
    begins: short(text, 80),
    isOurs: text.includes("api_token="),
    reach: answer ? "there" : await reach(src),
    /** Does the file have the hash that the tag names? */
    hasHash: !integrity || !answer?.ok || !!(await get(src, { integrity })),
  };
};
