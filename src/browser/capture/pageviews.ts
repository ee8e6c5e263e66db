/**
 * When a page view is counted. Moves of the page only say that and how the URL has moved; a view is judged once its URL has
 * stood for a moment, or the page is left. So redirects and blocked navigations count nothing.
 */
import { attempt } from "../../shared/attempt.js";
import { config } from "../config.js";
import { isHidden, type Navigation, onNavigate } from "../page.js";

/** For so many milliseconds a URL must stay the same before it is judged. */
const STANDS_MS = 250;

/** The strongest of several moves counts. An intercepted reload, or an update of an entry's state, is none of these, and no move. */
const STRENGTHS = { load: 3, traverse: 2, push: 2, replace: 1 };

/** Tracks the view that the page shows. */
let trackView: (() => void) | undefined;
/** Judges the URL once it has stood. */
let timer: ReturnType<typeof setTimeout> | undefined;
/** The strongest move since the last judgement; 0 where there was none. */
let strength = 0;
/** The last URL that was judged. */
let judged = "";
/** Has the visitor seen the page? One in a background tab counts nothing before that. */
let isSeen = false;

const isHash = (): boolean => config.pageviews === "hash";

/** The part of a URL that makes it another view: without its fragment, unless fragments route; of a replacement the path alone. */
const essence = (url: string): string =>
  url.replace(strength === STRENGTHS.replace ? /\?[^#]*/g : "", "").replace(isHash() ? /#!?\/?$/ : /#.*/, "");

/** The current URL is counted, and nothing waits any more. */
export const countView = (): void => {
  strength = 0;
  judged = location.href;
};

/** @param isLeaving whether the page goes out of sight: what it has shown counts now */
export const judgeView = (isLeaving?: boolean): void => {
  isSeen ||= !isHidden();
  if (!strength || !isSeen || (isHidden() && !isLeaving)) return;
  const isNew = strength === STRENGTHS.load || essence(judged) !== essence(location.href);
  countView();
  if (isNew) trackView?.();
};

/** The URL may have moved. */
export const move = (kind: Navigation | "load"): void => {
  clearTimeout(timer);
  timer = setTimeout(() => attempt(judgeView), STANDS_MS);
  // Of a kind without a strength the comparison is false.
  if (STRENGTHS[kind] > strength) strength = STRENGTHS[kind];
};

/**
 * `popstate`, which links to a fragment and replacements of one fire, too (measured in Chromium 156, Firefox 153 and
 * WebKitGTK 2.50): where fragments route, these count by their path.
 */
export const moveInHistory = (): void => {
  move(isHash() ? "replace" : "traverse");
};

/** Calls `run` for each view, when it is counted. */
export const watchPageviews = (run: () => void): void => {
  trackView = run;
  isSeen = !isHidden();
  onNavigate(move);
  move("load");
};
