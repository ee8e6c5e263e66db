/**
 * A tracker of one's own beside the page's (`tracklet/instance`) follows that one: a page has one visitor, who chooses once and logs
 * out once. It hears of both by `onChange` of the page's tracker, which may be another copy or version, and may yet come.
 */
import { attempt } from "../shared/attempt.js";
import { uuid } from "../shared/uuid.js";
import type { ChangeListener, Command, Config, Consent, Hub } from "../types.js";
import { config, isPerPage } from "./config.js";
import * as delivery from "./delivery/add-and-flush.js";
import { openHub } from "./hub.js";
import { identity, readIdentity, resetIdsBy } from "./state/identity.js";
import { allow, CONSENT, consent, get, getStored, named } from "./state/storage.js";

/** The page's reset id as it was told last. */
let told: string | undefined;

/** Has the visitor logged out of the page since? Then the page's reset id is another one than this tracker's begins with. */
const followReset = (id: string): void => {
  // What was before the document is over where nobody is remembered.
  const isOut = () => (isPerPage() ? id !== (told ?? id) : !identity[0]!.startsWith(id));
  // The same id in each tab: one that hears of it late must not log out who has logged in since.
  resetIdsBy(() => id);
  readIdentity();
  if (isOut()) delivery.reset();
  told = id;
  resetIdsBy(() => id + uuid());
};

/** Follows the tracker that is at `window[page]`, or that comes there. */
const followPage = (page: string, own: Consent | undefined): void => {
  const { mute } = config;
  /** @param whole what the visitor allows on the page; nothing where that has no tracker */
  const decide = (whole?: Consent): void => {
    const isRefused = whole && getStored(`${page}:${CONSENT}`) === "denied";
    // An option of the page's takes nothing away here.
    const isOption = whole === "denied" && !isRefused;
    config.mute = mute || (isOption && !own && !get(named(CONSENT)));
    config.consent = isRefused ? "denied" : (own ?? (isOption ? "pending" : (whole ?? "granted")));
  };
  let before: Consent;
  const follow: ChangeListener = (whole, _, id = "") => {
    followReset(id);
    if (whole === before) return;
    before = whole;
    decide(whole);
    // Before the first look into the storage nothing has been done.
    if (!consent) return;
    allow(undefined);
    delivery.catchUp();
    delivery.resume();
  };

  const globals = window as unknown as Record<string, Command[] | undefined>;
  // An element of the page may have this id.
  if (typeof globals[page]?.push !== "function") globals[page] = [];
  const found = globals[page];
  // Its tag, or calls that wait for it, but for those of instances, say that one comes.
  const isComing =
    !Array.isArray(found) ||
    found.some((command) => command?.[2] !== page) ||
    attempt(() => document.querySelector("script[data-track-url]"));
  decide(isComing ? "pending" : undefined);
  found.push(["onChange", follow, page]);
};

/** A tracker of this name. One that was made before has its options. */
export const openInstance = ({ page = "tracklet", ...options }: Config & { page?: string | undefined }): Hub => {
  const hub = openHub(options.name);
  const isNew = config.name === options.name;
  hub.init(options);
  if (isNew && page !== options.name) followPage(page, options.consent && config.consent);
  return hub;
};
