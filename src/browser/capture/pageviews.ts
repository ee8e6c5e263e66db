/** When a page view is to be counted. */
import { isHidden, type Navigation, onNavigate, onRestore, onVisibility } from "../page.js";

/** What makes a URL another one: without its fragment, unless that routes; the first route is none. */
const identify = (url: string, isHash: boolean): string => url.replace(isHash ? /#!?\/?$/ : /#.*/, "");

/** The same without queries, also those within the fragment. */
const pathOf = (url: string): string => url.replace(/\?[^#]*/g, "").replace(/#!?\/?$/, "");

/**
 * Is this a new view? A load always is; a push or traversal to another URL; a replacement only where the
 * path changes, because routers and filters write state into the query.
 */
export const isNewView = (navigation: Navigation | "load", url: string, last: string, isHash: boolean): boolean => {
  /** What must be another one. */
  const essence = (one: string): string => {
    const view = identify(one, isHash);
    return navigation === "replace" ? pathOf(view) : view;
  };
  return navigation === "load" || essence(url) !== essence(last);
};

/** Calls `view` with the URL of each new view, at the moment of the navigation. */
export const watchPageviews = (isHash: boolean, view: (url: string) => void): void => {
  let counted = "";
  /** Where the page is, counted or not. */
  let last = "";
  /** A tab opened in the background counts nothing before it is seen. */
  let isSeen = false;
  const look = (navigation: Navigation | "load"): void => {
    if (!isSeen && isHidden()) return;
    const url = location.href;
    const isNewTo = (other: string) => isNewView(isSeen ? navigation : "load", url, other, isHash);
    const isNew = isNewTo(counted) && isNewTo(last);
    isSeen = true;
    last = url;
    if (!isNew) return;
    counted = url;
    view(url);
  };
  const see = (): void => {
    if (!isSeen) look("load");
  };
  see();
  onVisibility(see);
  onRestore(() => look("load"));
  onNavigate(look);
};
