/** What the page shows of a tracker at this moment: its tags, where else its options stand, its global, and other tools. */
import { attempt } from "../../shared/attempt.js";
import { urlOf } from "../../shared/option-values.js";
import { readScripts } from "./scripts.js";
import { markupOf, short, visible, written } from "./visible.js";

/** The global of a tracker: before the script has loaded an array of calls, afterwards an object with the verbs. */
interface Global {
  push(...calls: unknown[][]): unknown;
  readonly flush?: (options: { timeoutMs: number }) => Promise<unknown>;
  readonly identity?: () => string[];
}

type Attributes = Record<string, string | undefined>;

const DEFAULT_NAME = "tracklet";

const globals = globalThis as unknown as Record<string, object | undefined>;

/** The window of a frame on another origin is a global, too; and a storage that is denied is none to be read. */
const isTracker = (name: string, of: Window = window): boolean =>
  !!attempt(() => {
    const value = (of as unknown as Record<string, Record<string, unknown> | undefined>)[name];
    return ["push", "init", "track", "flush"].every((verb) => typeof value?.[verb] === "function");
  });

export const globalOf = (name: string): Global | undefined =>
  Array.isArray(globals[name]) || isTracker(name) ? (globals[name] as Global) : undefined;

export const findNames = (): string[] => {
  const names = Object.keys(window).filter((name) => isTracker(name));
  return names.length > 0 ? names : [DEFAULT_NAME];
};

/** Tags with our options; where these were taken away, or are misspelt, those that load the script by its usual name. */
const TAGS = "script[data-api-token],script[data-track-url],script[src*='tracklet.iife']";

const allTags = (): HTMLScriptElement[] => [...document.querySelectorAll<HTMLScriptElement>(TAGS)];

const nameOf = ({ dataset }: HTMLScriptElement): string => dataset.name || DEFAULT_NAME;

export const findTags = (name: string): HTMLScriptElement[] => allTags().filter((tag) => nameOf(tag) === name);

/** An attribute of ours whose hyphens are missing: it is none of the data set. */
const unhyphened = ({ attributes }: Element): Attributes =>
  Object.fromEntries([...attributes].flatMap(({ name, value }) => (/^data[a-z]/.test(name) ? [[name, value]] : [])));

export type Tag = ReturnType<typeof readTag>;

const readTag = (tag: HTMLScriptElement) => ({
  markup: markupOf(tag),
  options: { ...unhyphened(tag), ...tag.dataset } as Attributes,
  src: tag.src,
  address: visible(attempt(() => decodeURI(tag.src)) ?? tag.src),
  /** What stands between its ends, which no browser runs where there is a `src`. */
  inside: tag.src ? short(tag.text, 120) : "",
  type: tag.type,
  integrity: tag.integrity,
  crossOrigin: tag.crossOrigin !== null,
});

/** Where a tag stands that no browser runs, or a tracker that is not this page's, in words. */
const findHidden = (framed: unknown): string[] => {
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
  for (const { src, srcdoc, contentWindow } of document.querySelectorAll("iframe"))
    if (src === framed || isTracker(DEFAULT_NAME, contentWindow!) || srcdoc.includes("data-track-url"))
      found.add(`in a frame of this page (${src || "srcdoc"}), which it counts in place of the page: move it here`);
  return [...found];
};

/** `"waiting"`: an array of calls, which no script has taken over. `"idle"`: nothing has configured the tracker. */
const stateOf = (found: unknown, hasOptions: boolean): "absent" | "waiting" | "idle" | "running" => {
  if (!found) return "absent";
  if (Array.isArray(found)) return "waiting";
  return hasOptions ? "running" : "idle";
};

/** Who has taken the name: an element by its id, or a value of the page. */
const takenBy = (name: string, value: unknown): string => {
  const element = document.getElementById(name);
  if (element) return `the element <${element.localName} id="${name}">`;
  return value === undefined || Array.isArray(value) ? "" : `${written(value)}, of the page`;
};

/** Where calls wait that nobody reads: in lists of other tools' stubs, and under the usual name, where this tracker has another. */
const unreadIn = (name: string, value: unknown): string[] => {
  const members = Object.entries(Array.isArray(value) ? {} : Object(value));
  const places = members.map(([member, list]): [string, unknown] => [`${name}.${member}`, list]);
  if (name !== DEFAULT_NAME && findTags(DEFAULT_NAME).length === 0) places.push([DEFAULT_NAME, globals[DEFAULT_NAME]]);
  return places.flatMap(([place, list]) =>
    Array.isArray(list) && list.length > 0 ? [`window.${place} (${list.length})`] : [],
  );
};

/** Where a tracker sends the views of the page, if it does. */
const viewsTo = (options: Attributes) => options.pageviews !== "off" && urlOf(options);

/** The other trackers that send them to where this one does, as their tags say. */
const twinsOf = (name: string, options: Attributes, to = viewsTo(options)): string[] =>
  allTags()
    .filter((tag) => to && nameOf(tag) !== name && isTracker(nameOf(tag)) && viewsTo(tag.dataset) === to)
    .map(nameOf);

const META_POLICY = 'meta[http-equiv="Content-Security-Policy" i]';

export type Page = ReturnType<typeof readPage>;

/** @param known the panel's own listener, the tracker's options, what was in its place before, and which frame has the tag */
export const readPage = (
  name: string,
  { listener, options, stood, framed }: Record<"listener" | "options" | "stood" | "framed", unknown>,
) => {
  const found = globalOf(name);
  const before = found ? stood : globals[name];
  const tags = findTags(name);
  const [contact = "", account = ""] = attempt(() => found?.identity?.()) ?? [];
  return {
    name,
    global: stateOf(found, !!options),
    taken: takenBy(name, before),
    unread: unreadIn(name, before),
    calls: (Array.isArray(found) ? found.filter((call) => call?.[1] !== listener) : []) as readonly unknown[],
    contact,
    account,
    ...readScripts(name),
    tags: tags.map(readTag),
    twins: twinsOf(name, Object(options)),
    hidden: tags.length > 0 || (found && !Array.isArray(found)) ? [] : findHidden(framed),
    /** Does the page write JSON as others do? Old libraries change that. */
    isJsonOdd: JSON.stringify([[1]]) !== "[[1]]",
    /** Has the page loaded all of its parts? And how long ago it began, in milliseconds. */
    isLoaded: document.readyState === "complete",
    ageMs: performance.now(),
    /** As requests name it: a sandboxed frame has none. */
    origin: self.origin,
    metaPolicies: [...document.querySelectorAll<HTMLMetaElement>(META_POLICY)].map(({ content }) => content),
    /** Has the browser given up to record what is loaded? It keeps 250 (Resource Timing §4.5). */
    isRecordFull: performance.getEntriesByType("resource").length >= 250,
    // A frame without an origin has none.
    worker: attempt(() => navigator.serviceWorker?.controller?.scriptURL) ?? "",
    isOnline: navigator.onLine,
    hasGpc: (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true,
  };
};
