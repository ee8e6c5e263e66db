/**
 * Leaves the visits of this browser out, or counts them again. Asked for in the page: else anybody's link would take a visitor
 * out for good.
 */
import { dayOf } from "../find/evidence.js";
import { keysOf } from "../watch/keys.js";

const YEAR_MS = 31_536_000_000;
/** In the query of a page that asks by itself. */
const LINK = "tracklet_mute";

/** Is the page opened by a link that asks for it, as `?tracklet_mute`? */
export const isAskedByLink = (): boolean => new URLSearchParams(location.search).has(LINK);

/** The tracker reads it when a page begins; what the link has asked is answered. */
const beginAnew = (): void => {
  const address = new URL(location.href);
  address.searchParams.delete(LINK);
  if (isAskedByLink()) location.replace(address);
  else location.reload();
};

/**
 * Asks, does it, and says what holds from now on.
 *
 * @param names of the trackers
 * @param until when the visits are left out, in epoch milliseconds; 0 where they are counted
 */
export const askToMute = (names: readonly string[], until: number): void => {
  const [visits, where] = ["The visits of this browser", `on all pages of ${location.origin}`];
  const leftOut = (end: number): string => `${visits} are left out until ${dayOf(end)}, ${where}.`;
  const end = until > 0 ? 0 : Date.now() + YEAR_MS;
  const isSure = confirm(
    end > 0
      ? `Leave out the visits of this browser, ${where}, for a year? Nothing is recorded or sent then.`
      : `${leftOut(until)} Count them again?`,
  );
  if (!isSure) return;
  try {
    for (const key of names.map((name) => keysOf(name).mute))
      if (end > 0) localStorage.setItem(key, `${end}`);
      else localStorage.removeItem(key);
    alert(end > 0 ? `Done. ${leftOut(end)}` : `Done. ${visits} are counted again, ${where}.`);
    beginAnew();
  } catch {
    alert("The storage of this page takes nothing: its visits cannot be left out.");
  }
};
