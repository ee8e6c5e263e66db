/** The panel. */

import { button, element, lineItem, redraw } from "./elements.js";
import type { Report } from "./report.js";
import { STYLE } from "./style.js";

export interface Controls {
  names: string[];
  name: string;
  choose: (name: string) => void;
  send: () => void;
  /** Sends an event that is named a test, the whole way. */
  test: () => void;
  /** Copies a text. @returns whether that was done */
  copy: (shown: string) => boolean;
  /** Leaves the visits of this browser out, or counts them again. */
  mute: () => void;
  isMuted: () => boolean;
  close: () => void;
}

const HOST = "tracklet-inspector";

/** Moves the focus into the panel that is open. @returns whether there is one */
export const focusPanel = (): boolean => {
  const panel = document.querySelector(HOST)?.shadowRoot?.querySelector("section");
  panel?.focus({ preventScroll: true });
  return !!panel;
};

/** Shows a panel and moves the focus into it. */
export const openPanel = ({ names, name, choose, send, test, copy, mute, isMuted, close }: Controls) => {
  const host = element(HOST);
  const root = host.attachShadow({ mode: "open" });
  // Constructed: a policy on inline styles does not concern it.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const before = document.activeElement;
  const status = element("div", { role: "status", "aria-label": "Findings" });
  const lists = element("div");
  const muting = button("", mute);
  const copying = button("Copy", () => {
    // biome-ignore lint/performance/useDomNodeTextContent: in lines, as it is laid out.
    const isCopied = copy([status, lists].map(({ innerText }) => innerText).join("\n\n"));
    redraw(copying, isCopied ? "Copied." : "The browser does not let this page copy.");
  });
  const select = element("select", { "aria-label": "Tracker" }) as HTMLSelectElement;
  for (const each of names) select.append(element("option", { value: each }, each));
  select.value = name;
  select.addEventListener("change", () => choose(select.value));

  const panel = element(
    "section",
    { role: "dialog", "aria-labelledby": "title", tabindex: "-1" },
    element(
      "header",
      {},
      element("h2", { id: "title" }, names.length > 1 ? "Inspector" : `Inspector: ${name}`),
      names.length > 1 ? select : "",
      ...[button("Send now", send), copying, button("Close", close)],
    ),
    // Focusable, so that the keyboard can scroll it.
    element(
      "div",
      { class: "body", tabindex: "0", role: "group", "aria-label": "State" },
      ...[status, button("Send a test event", test), lists, muting],
    ),
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
    show: ({ state, headline, test, causes, lists: found }: Report): void => {
      redraw(
        status,
        element("p", { class: `headline ${state}` }, headline),
        element("ul", { class: "causes" }, ...causes.map(lineItem)),
        element("p", {}, test),
      );
      redraw(
        lists,
        ...found.flatMap(({ title, note, lines }) => [
          element("h3", {}, title),
          element("p", {}, note),
          element("ol", { "aria-label": title }, ...lines.map(lineItem)),
        ]),
      );
      redraw(muting, isMuted() ? "Count my visits again" : "Leave out my visits");
    },
    remove: (): void => {
      const had = root.activeElement !== null;
      host.remove();
      if (had) (before as HTMLElement | null)?.focus?.({ preventScroll: true });
    },
  };
};
