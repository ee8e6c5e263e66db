import { clock, type Findings, type Line, walk } from "../judge/checklist.js";
import { dayOf, type Evidence, isGood, isPage, type State, seconds } from "../judge/evidence.js";
import { keysOf } from "../watch/stored.js";

/**
 * Leaves the visits of this browser out, or counts them again. Asked for in the page: else anybody's link would take a visitor
 * out for good.
 */

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

interface List {
  title: string;
  /** What is to be known of all of them, or in place of them. */
  note: string;
  lines: Line[];
}

type Report = Omit<Findings, "steps"> & { lists: List[] };

const answersOf = ({ activity, isBlind }: Evidence): Line[] =>
  activity.exchanges
    .filter(({ status }) => status >= 0)
    .map(({ at, status, words, sent, answerType }) => {
      const [{ visitUrl = "" } = {}] = sent;
      const isStored = isGood(status) && !isPage(answerType);
      return {
        state: isStored && isBlind ? "unknown" : isStored ? "good" : "bad",
        title: sent.map(({ event }) => event).join(", ") || "before this panel",
        text: `${visitUrl} ${clock(at)}`.trim(),
        note: status === 0 ? "no answer" : isBlind ? "the answer cannot be read" : `${status} ${words}`.trim(),
      };
    });

const waitingOf = ({ stored }: Evidence): Line[] =>
  stored.events.map(({ event, contact, visitUrl, failures, isUndecided }) => {
    const failed = failures > 0 ? `, failed ${failures} ×` : "";
    const left = isUndecided ? ", most likely stored, as a page was left" : "";
    const text = `${contact ? `of ${contact}` : "of nobody yet"}${failed}${left}`;
    return { state: "waits", title: event, text, note: visitUrl };
  });

/** When the next attempt comes, where there is a pause. */
const nextAttempt = ({ stored: { pauseMs } }: Evidence): string =>
  pauseMs > 0 ? `Next attempt: in ${seconds(pauseMs)}.` : "";

const listsOf = (evidence: Evidence, steps: Line[]): List[] => {
  const { eventCount, events } = evidence.stored;
  const answers = answersOf(evidence);
  return [
    { title: "Steps", note: "", lines: steps },
    {
      title: "Last answers",
      note: answers.length > 0 ? "" : "None yet.",
      lines: answers,
    },
    // Last: it may be long.
    {
      title: `Waiting: ${eventCount.toLocaleString("en")}`,
      note: `${nextAttempt(evidence)}${eventCount > events.length ? ` The first ${events.length} are:` : ""}`,
      lines: waitingOf(evidence),
    },
  ];
};

export const reportOf = (evidence: Evidence): Report => {
  const { steps, ...found } = walk(evidence);
  return { ...found, lists: listsOf(evidence, steps) };
};

/** The panel, and what it is made of. Whatever is shown is text: nothing of the page, the storage or the service becomes markup. */

type Child = Node | string;

const element = (tag: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter(Boolean));
  return made;
};

export const button = (label: string, run: () => void): HTMLElement => {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", run);
  return made;
};

const MARKS: Record<State, string> = { good: "✓", bad: "✕", waits: "…", unknown: "·" };

const lineItem = ({ state, title, text, note }: Line): HTMLElement =>
  element(
    "li",
    { class: state },
    element("span", { class: "mark", role: "img", "aria-label": state }, MARKS[state]),
    " ",
    element("b", {}, title),
    ` ${text}`,
    note && element("code", { title: note }, note),
  );

/** Draws a part anew where it has changed: what is selected, spoken or read in the others stays. */
export const redraw = (part: HTMLElement, ...children: Child[]): void => {
  const next = part.cloneNode() as HTMLElement;
  next.append(...children);
  if (!part.isEqualNode(next)) part.replaceChildren(...next.childNodes);
};

/**
 * Its looks. Nothing of the page's reaches in, and nothing reaches out. Colours are the browser's, in light and dark; white can be read on those of the marks. What is
 * right takes a line or two, and the stop all that it needs.
 */
const STYLE = `
:host { all: initial !important; position: fixed !important; inset: auto 16px 16px auto !important; z-index: 2147483647 !important; display: block !important; color-scheme: light dark !important; }
section { box-sizing: border-box; width: min(420px, calc(100vw - 32px)); max-height: min(640px, calc(100vh - 32px));
display: flex; flex-direction: column; overflow: hidden; text-align: start;
background: Canvas; color: CanvasText; border: 1px solid; border-radius: 12px; box-shadow: 0 8px 32px rgb(10 20 40 / 24%);
font: 13px/1.45 system-ui, sans-serif; } section:focus-visible { outline: 0; }
header { display: flex; align-items: center; gap: 8px; padding: 10px 12px; border-bottom: 1px solid; } h2 { flex: 1; margin: 0; font-size: 15px; }
h3 { margin: 14px 0 4px; font-size: 12px; } button { font: inherit; min-height: 28px; max-width: 12em; }
.body { overflow: auto; padding: 0 12px 12px; overscroll-behavior: contain; } .body:focus-visible { outline-offset: -2px; }
.body > button { max-width: none; margin-top: 12px; } p { margin: 6px 0 0; } p:empty { display: none; }
ul, ol { list-style: none; margin: 0; padding: 0; } .headline { font-size: 15px; font-weight: 600; }
li { padding: 3px 0 3px 26px; text-indent: -26px; overflow-wrap: anywhere; }
.mark { display: inline-block; width: 18px; margin-right: 4px; border-radius: 9px; text-indent: 0; text-align: center; font-weight: 700; }
.good .mark { background: #14743f; color: #ffffff; } .bad .mark { background: #b3261e; color: #ffffff; }
.waits .mark { background: #9a4b06; color: #ffffff; } code { display: block; font: 12px/1.4 ui-monospace, monospace; text-indent: 0; }
ol .good, ol .unknown, .good code, .unknown code { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
`;

const HOST = "tracklet-inspector";

/** Moves the focus into the panel that is open. @returns whether there is one */
export const focusPanel = (): boolean => {
  const panel = document.querySelector(HOST)?.shadowRoot?.querySelector("section");
  panel?.focus({ preventScroll: true });
  return !!panel;
};

/** What stands in the panel beside what was found: in its head, behind the findings, and behind the lists. */
type Parts = { title: string; tools: Node[]; above: Node; below: Node; close: () => void };

/** Shows a panel and moves the focus into it. */
export const openPanel = ({ title, tools, above, below, close }: Parts) => {
  const host = element(HOST);
  const root = host.attachShadow({ mode: "open" });
  // Constructed: a policy on inline styles does not concern it.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const before = document.activeElement;
  const status = element("div", { role: "status", "aria-label": "Findings" });
  const lists = element("div");
  // The body can be focused, so that the keyboard can scroll it.
  const state = { class: "body", tabindex: "0", role: "group", "aria-label": "State" };
  const panel = element(
    "section",
    { role: "dialog", "aria-labelledby": "title", tabindex: "-1" },
    element("header", {}, element("h2", { id: "title" }, title), ...tools),
    element("div", state, status, above, lists, below),
  );
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  root.append(panel);
  document.documentElement.append(host);
  panel.focus({ preventScroll: true });

  return {
    show: ({ state, headline, causes, lists: found }: Report): void => {
      redraw(
        status,
        element("p", { class: `headline ${state}` }, headline),
        element("ul", { class: "causes" }, ...causes.map(lineItem)),
      );
      redraw(
        lists,
        ...found.flatMap(({ title, note, lines }) => [
          element("h3", {}, title),
          element("p", {}, note),
          element("ol", { "aria-label": title }, ...lines.map(lineItem)),
        ]),
      );
    },
    /** What is shown, in lines. */
    // biome-ignore lint/performance/useDomNodeTextContent: as it is laid out.
    text: (): string => [status, lists].map(({ innerText }) => innerText).join("\n\n"),
    remove: (): void => {
      const had = root.activeElement !== null;
      host.remove();
      if (had) (before as HTMLElement | null)?.focus?.({ preventScroll: true });
    },
  };
};
