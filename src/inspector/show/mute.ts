/**
 * Leaves the visits of this browser out, or counts them again. Asked for in the page: else anybody's link would take a visitor
 * out for good.
 */
import { keysOf } from "../watch/keys.js";

const YEAR_MS = 31_536_000_000;

/** @param names of the trackers */
const ask = (names: readonly string[], isMuted: boolean): void => {
  const question = isMuted
    ? `Count the visits of this browser again, on all pages of ${location.origin}?`
    : `Leave out the visits of this browser, on all pages of ${location.origin}, for a year? Nothing is recorded or sent then. The inspector ends it.`;
  if (!confirm(question)) return;
  for (const key of names.map((name) => keysOf(name).mute))
    if (isMuted) localStorage.removeItem(key);
    else localStorage.setItem(key, `${Date.now() + YEAR_MS}`);
  // The tracker reads it when a page begins.
  location.reload();
};

/** Is the page opened by a link that asks for it, as `?tracklet_mute`? */
export const isAskedByLink = (): boolean => new URLSearchParams(location.search).has("tracklet_mute");

export const askToMute = (names: readonly string[], isMuted: boolean): void => {
  try {
    ask(names, isMuted);
  } catch {
    alert("The storage of this page takes nothing: its visits cannot be left out.");
  }
};
