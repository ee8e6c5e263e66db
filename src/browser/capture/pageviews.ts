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
const PUSH = 2;
const STRENGTHS = { load: 3, traverse: PUSH, push: PUSH, replace: 1 };

/** Tracks the view. */
let trackView: (() => void) | undefined;
/** Judges the URL once it has stood. */
let timer: ReturnType<typeof setTimeout> | undefined;
/** The strongest move since the last judgement; 0 where there was none. */
let strength = 0;
/** The URL that was judged last, and that of the move that counts since. Where none does, both are the page's. */
let judged: string;
let moved = "";
/** The URL of the view that was counted last: that of its move, which the page may have tidied since. */
export let viewed: string;
/** Has the visitor seen the page? One in a background tab counts nothing before that. */
let isSeen = false;

const isHash = (): boolean => config.pageviews === "hash";

/** The part of a URL that makes it another view: without its fragment, unless fragments route; by a weak move the path alone. */
const essence = (url: string, isWeak: boolean): string =>
  url.replace(isWeak ? /\?[^#]*/g : "", "").replace(isHash() ? /#!?\/?$/ : /#.*/, "");

/** The view is counted, and nothing waits any more. */
export const countView = (): void => {
  viewed = strength ? moved : location.href;
  strength = 0;
  moved = location.href;
};

/** @param isLeaving whether the page goes out of sight: what it has shown counts now */
export const judgeView = (isLeaving?: boolean): void => {
  isSeen ||= !isHidden();
  if (!strength || !isSeen || (isHidden() && !isLeaving)) return;
  const isWeak = strength < PUSH;
  const isNew = essence(judged, isWeak) !== essence(moved, isWeak);
  countView();
  if (isNew) trackView?.();
};

/** The URL may have moved. What is no other view than that of the last move puts nothing off, and the view keeps its URL. */
export const move = (kind: Navigation | "load"): void => {
  const next = STRENGTHS[kind];
  const before = next > PUSH ? "" : moved;
  const isWeak = next < PUSH || next < strength;
  if (essence(before, isWeak) !== essence(location.href, isWeak)) {
    clearTimeout(timer);
    timer = setTimeout(() => attempt(judgeView), STANDS_MS);
    if (!before || !strength) judged = before;
    moved = location.href;
    // Of a kind without a strength the comparison is false.
    if (next > strength) strength = next;
  } else if (!strength) moved = location.href;
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
