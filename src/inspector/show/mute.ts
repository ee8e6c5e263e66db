/**
 * Leaves the visits of this browser out, or counts them again. Asked for in the page: else anybody's link would take a visitor
 * out for good.
 */
import { dayOf } from "../find/evidence.js";
import { keysOf } from "../watch/stored.js";

const YEAR_MS = 31_536_000_000;
/** In the query of a page that asks by itself. */
const LINK = "tracklet_mute";

/** Is the page opened by a link that asks for it, as `?tracklet_mute`? */
export const isAskedByLink = (): boolean => new URLSearchParams(location.search).has(LINK);

/**
 * Asks, does it, says what holds, and loads the page again, since the tracker reads it when a page begins.
 *
 * @param until when the visits of these trackers are left out, in epoch milliseconds; 0 where they are counted
 */
export const askToMute = (names: readonly string[], until: number): void => {
  const where = `on all pages of ${location.origin}`;
  const leftOut = (end: number): string => `The visits of this browser are left out until ${dayOf(end)}, ${where}.`;
  const end = until > 0 ? 0 : Date.now() + YEAR_MS;
  const question = `Leave out the visits of this browser, ${where}, for a year? Nothing is recorded or sent then.`;
  if (!confirm(end > 0 ? question : `${leftOut(until)} Count them again?`)) return;
  try {
    for (const { mute } of names.map((name) => keysOf(name)))
      if (end > 0) localStorage.setItem(mute, `${end}`);
      else localStorage.removeItem(mute);
    alert(`Done. ${end > 0 ? leftOut(end) : `The visits of this browser are counted again, ${where}.`}`);
    const address = new URL(location.href);
    address.searchParams.delete(LINK);
    // What the link has asked is answered.
    if (isAskedByLink()) location.replace(address);
    else location.reload();
  } catch {
    alert("The storage of this page takes nothing: its visits cannot be left out.");
  }
};
