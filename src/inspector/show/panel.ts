/** The panel. */
import { element, lineItem, redraw } from "./elements.js";
import type { Report } from "./report.js";
import { STYLE } from "./style.js";

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
