/** Why the script of a tag has not loaded, in words. */
import { isMixed } from "../watch/address.js";
import { runs } from "../watch/inline.js";
import { DEFAULT_NAME } from "../watch/trackers.js";
import { readViolations, VIOLATION_MS } from "../watch/violations.js";
import { isExample } from "./placeholders.js";

const isElsewhere = (src: string): boolean => new URL(src).origin !== location.origin;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Has the page's policy forbidden this script, before the panel was opened? */
const isForbidden = async (src: string): Promise<boolean> =>
  (await readViolations()).some(({ directive, url }) => directive.startsWith("script-src") && url === src);

/** The types by which tools hold scripts back until the visitor moves or clicks: WP Rocket, Rocket Loader, LiteSpeed and others. */
const DELAYED = /rocket|litespeed|delay|lazy|defer|psajs|flying|meteor|-(text|application)\/javascript$/i;

const ofType = (type: string): string =>
  `its type is "${type}", so the browser does not run it. ${
    DELAYED.test(type)
      ? "A tool that makes pages quicker has put it there, and runs the script once the visitor moves or clicks, or never: exclude the script there."
      : "Take the type away, or let the consent tool that has put it there allow the script."
  }`;

/** What the tag itself forbids, before anything is asked for. */
const ofTag = async ({ src, type, integrity, crossOrigin }: HTMLScriptElement): Promise<string> => {
  if (!runs(type)) return ofType(type);
  if (!src) return "the tag has no src.";
  if (isExample(src)) return "that is the documents' example: write where your copy of the script is.";
  if (isMixed(src, location.origin))
    return "the page is https, and the script's address is http: the browser loads no such script (mixed content). Write https://.";
  if (location.protocol === "file:" && src.startsWith("file:") && (integrity || crossOrigin !== null))
    return "a page that was opened as a file may not load it with crossorigin or integrity. Take both away.";
  if (integrity && crossOrigin === null && isElsewhere(src))
    return "the tag has integrity, but no crossorigin, which a script from another host needs then. Add crossorigin.";
  if (await isForbidden(src))
    return "the page's Content-Security-Policy forbids it. Name its host in script-src, or give the tag the page's nonce.";
  return "";
};

/** Asks for the script once more, as the browser did for the tag. @returns nothing where there is no readable answer */
const ask = (src: string, options: RequestInit = {}): Promise<Response | undefined> =>
  fetch(src, { credentials: "same-origin", referrerPolicy: "origin", ...options }).catch(() => undefined);

const ofSilence = async ({ src, crossOrigin }: HTMLScriptElement): Promise<string> => {
  let isBlind = false;
  const onViolation = ({ effectiveDirective }: SecurityPolicyViolationEvent): void => {
    isBlind ||= effectiveDirective === "connect-src";
  };
  document.addEventListener("securitypolicyviolation", onViolation);
  const isThere = !!(await ask(src, { mode: "no-cors" }));
  await wait(VIOLATION_MS);
  document.removeEventListener("securitypolicyviolation", onViolation);
  if (isBlind)
    return "why, this panel cannot ask: the page's connect-src forbids it. Open the address in a tab of its own.";
  if (!isThere) return "nothing answers there. Check the address, and whether an extension of the browser blocks it.";
  if (crossOrigin !== null)
    return "its host does not let this page read it, which crossorigin asks for. Let the host send Access-Control-Allow-Origin: *, or take crossorigin and integrity away.";
  return "something answers there, but what it is cannot be seen from this page. Open the address in a tab of its own.";
};

/** An array stands where the tracker was. */
export const ofReplaced = (name: string): string =>
  `The script has run, and the page has put an array in its place afterwards (window.${name} = []): calls reach nobody. Write window.${name} = window.${name} || [].`;

/**
 * @param tag of a script that should have run and has not
 * @param isReplaced is there a sign that it ran, and the page has put an array in its place?
 * @returns what is wrong, with what to do
 */
const explain = async (tag: HTMLScriptElement, isReplaced: () => boolean): Promise<string> => {
  const { src, integrity } = tag;
  const at = `${src ? `The script at ${src}` : "The script of the tag"} has not loaded`;
  const known = await ofTag(tag);
  if (known) return `${at}: ${known}`;
  const answer = await ask(src);
  if (!answer) return `${at}: ${await ofSilence(tag)}`;
  if (!answer.ok) return `${at}: the answer is ${answer.status}. Check the address in src.`;
  if (/html/.test(answer.headers.get("Content-Type") ?? ""))
    return `${at}: the answer is a web page (HTML), and no script. Check the address in src.`;
  if (integrity && !(await ask(src, { integrity })))
    return `${at}: the file there is not the one that integrity names. Copy the value that belongs to this file.`;
  if (isReplaced()) return ofReplaced(tag.dataset.name || DEFAULT_NAME);
  return `${at}, though it is there: it is under way, or the page's script-src or an extension of the browser forbids it.`;
};

/** Gives a function that looks at a tag whose script has not run, once each, when the page has loaded, and tells of the reason. */
export const createScriptCheck = (tell: (reason: string) => void, isReplaced: () => boolean) => {
  let examined: HTMLScriptElement | undefined;
  return (tag: HTMLScriptElement | undefined): void => {
    if (!tag || tag === examined || document.readyState !== "complete") return;
    examined = tag;
    explain(tag, isReplaced).then(tell, () => {});
  };
};
