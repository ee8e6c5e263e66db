/** The tags of trackers in the page, where else their options stand, and the trackers themselves. */
import { attempt } from "../../shared/attempt.js";
import { short, visible } from "./visible.js";

/** The global of a tracker: before the script has loaded an array of calls, afterwards an object with the verbs. */
export interface Global {
  push(...calls: unknown[][]): unknown;
  readonly flush?: (options: { timeoutMs: number }) => Promise<unknown>;
}

/** The options of an element: its attributes, without `data-`. */
type Attributes = Record<string, string | undefined>;

export const DEFAULT_NAME = "tracklet";

/** The window of a frame on another origin is a global, too; and a storage that is denied is none to be read. */
const isTracker = (name: string, of: Window = window): boolean =>
  !!attempt(() => {
    const value = (of as unknown as Record<string, Record<string, unknown> | undefined>)[name];
    return ["push", "init", "track", "flush"].every((verb) => typeof value?.[verb] === "function");
  });

/** The global of this name, if it is one of ours. */
export const globalOf = (name: string): Global | undefined => {
  const value = (window as unknown as Record<string, unknown>)[name];
  return Array.isArray(value) || isTracker(name) ? (value as unknown as Global) : undefined;
};

/** The names of all trackers on the page, the usual one at least. */
export const findNames = (): string[] => {
  const names = Object.keys(window).filter((name) => isTracker(name));
  return names.length > 0 ? names : [DEFAULT_NAME];
};

/** Tags with our options; where these were taken away, or are misspelt, those that load the script by its usual name. */
const TAGS = ["data-api-token", "data-track-url", 'src*="tracklet.iife"', 'href*="tracklet.iife"']
  .map((attribute) => `script[${attribute}]`)
  .join();

export const findTags = (name: string): HTMLScriptElement[] =>
  [...document.querySelectorAll<HTMLScriptElement>(TAGS)].filter((tag) => (tag.dataset.name || DEFAULT_NAME) === name);

/** Its start tag. */
const markupOf = ({ localName, attributes }: Element): string => {
  const written = [...attributes].map(({ name, value }) => (value ? ` ${name}="${value}"` : ` ${name}`));
  return short(`<${localName}${written.join("")}>`);
};

/** An attribute of ours whose hyphens are missing: it is none of the data set. */
const unhyphened = ({ attributes }: Element): Attributes =>
  Object.fromEntries([...attributes].flatMap(({ name, value }) => (/^data[a-z]/.test(name) ? [[name, value]] : [])));

export type Tag = ReturnType<typeof readTag>;

export const readTag = (tag: HTMLScriptElement) => ({
  markup: markupOf(tag),
  options: { ...unhyphened(tag), ...tag.dataset } as Attributes,
  src: tag.src,
  /** The same as it can be read. */
  address: visible(attempt(() => decodeURI(tag.src)) ?? tag.src),
  /** What stands between its ends, which no browser runs where there is a `src`. */
  inside: tag.src ? short(tag.text, 120) : "",
  type: tag.type,
  integrity: tag.integrity,
  crossOrigin: tag.crossOrigin !== null,
  href: tag.getAttribute("href") ?? "",
});

const STRAY = ["api-token", "track-url", "contact-uid", "account-uid"].map((option) => `[data-${option}]`).join();

/** Other elements that have options of ours, which nobody reads there. */
export const findStrays = (tags: readonly Element[]) =>
  [...document.querySelectorAll<HTMLElement>(STRAY)]
    .filter((element) => !tags.includes(element) && !element.matches(TAGS))
    .map((element) => ({ markup: markupOf(element), options: { ...element.dataset } }));

/** Where a tag stands that no browser runs, or a tracker that is not this page's, in words. */
export const findHidden = (): string[] => {
  const found = new Set<string>();
  for (const { content } of document.querySelectorAll("template"))
    if (content.querySelector(TAGS)) found.add("in a <template>, which no browser runs");
  // The content of a noscript is text, too, as is a tag that was written as text.
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
  while (texts.nextNode()) {
    const { nodeName, nodeValue, parentElement } = texts.currentNode;
    const isOurs = /<script.*(tracklet|data-track-url)/is.test(nodeValue ?? "");
    const where = nodeName === "#comment" ? "in a comment (<!-- … -->)" : `as text in a <${parentElement?.localName}>`;
    if (isOurs && parentElement?.localName !== "script") found.add(`${where}, which no browser runs`);
  }
  for (let index = 0; index < frames.length; index++)
    if (isTracker(DEFAULT_NAME, frames[index]))
      found.add("in a frame of this page, and not in the page itself: open the inspector there");
  return [...found];
};

/** Tag managers and consent tools, by their globals. */
const MANAGERS = "google_tag_manager _satellite utag _mtm".split(" ");
const CONSENT_TOOLS = "Cookiebot OneTrust UC_UI Didomi klaro getCkyConsent tarteaucitron __tcfapi".split(" ");

/** The tag manager with its containers, and the consent tool, that are on the page; `""` where none is known. */
export const findTools = () => {
  const globals = window as unknown as Record<string, object | undefined>;
  const manager = MANAGERS.find((name) => globals[name]) ?? "";
  const containers = Object.keys(globals[manager] ?? {}).filter((key) => /^(GTM|G)-/.test(key));
  return {
    manager: [manager, ...containers].join(" "),
    consentTool: CONSENT_TOOLS.find((name) => globals[name]) ?? "",
  };
};
