/** The panel's elements. Whatever is shown is text: nothing of the page, the storage or the service becomes markup. */

import type { Line, Report } from "./report.js";
import { STYLE } from "./style.js";

export interface Controls {
  names: string[];
  name: string;
  choose: (name: string) => void;
  send: () => void;
  /** Copies what is shown, as text. @returns whether that was done */
  copy: () => Promise<boolean>;
  /** Leaves the visits of this browser out, or counts them again. */
  mute: () => void;
  isMuted: () => boolean;
  close: () => void;
}

type Child = Node | string;

const element = (tag: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

const button = (label: string, run: () => void): HTMLElement => {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", run);
  return made;
};

const item = ([text, note, kind = ""]: Line): HTMLElement =>
  element("li", {}, element("span", {}, text), ...(note ? [element("span", kind ? { class: kind } : {}, note)] : []));

const HOST = "tracklet-inspector";

/** Moves the focus into the panel that is open. @returns whether there is one */
export const focusPanel = (): boolean => {
  const panel = document.querySelector(HOST)?.shadowRoot?.querySelector("section");
  panel?.focus({ preventScroll: true });
  return !!panel;
};

/** Shows a panel and moves the focus into it. */
export const openPanel = ({ names, name, choose, send, copy, mute, isMuted, close }: Controls) => {
  const host = element(HOST);
  const root = host.attachShadow({ mode: "open" });
  // Constructed: a policy on inline styles does not concern it.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const before = document.activeElement;
  const findings = element("ul", { class: "findings" });
  const status = element("div", { role: "status", "aria-label": "Findings" }, findings);
  const facts = element("dl");
  const lists = element("div");
  const copied = element("p", { "aria-live": "polite", class: "copied" });
  const muting = button("", mute);
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
      ...(names.length > 1 ? [select] : []),
      button("Send now", send),
      button("Copy", async () => {
        const isCopied = await copy();
        copied.textContent = isCopied ? "Copied." : "The browser does not let this page copy.";
      }),
      button("Close", close),
    ),
    copied,
    // Focusable, so that the keyboard can scroll it.
    element(
      "div",
      { class: "body", tabindex: "0", role: "group", "aria-label": "State" },
      status,
      facts,
      lists,
      muting,
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

  /** Draws a part where it has changed: what is selected, spoken or read in the others stays. */
  const createPart = <T>(draw: (data: T) => void) => {
    let drawn = "";
    return (data: T): void => {
      const next = JSON.stringify(data);
      if (next !== drawn) draw(data);
      drawn = next;
    };
  };
  const showFindings = createPart<Report["findings"]>((found) =>
    findings.replaceChildren(
      ...found.map(({ kind, text }) =>
        // How long ago is written each second, and not to be spoken as often.
        element("li", { class: kind, ...(kind === "fine" && { "aria-live": "off" }) }, element("span", {}, text)),
      ),
    ),
  );
  const showFacts = createPart<Report["facts"]>((found) =>
    facts.replaceChildren(...found.flatMap(([label, value]) => [element("dt", {}, label), element("dd", {}, value)])),
  );
  const showLists = createPart<Report["lists"]>((found) =>
    lists.replaceChildren(
      ...found.flatMap(({ title, empty, items }) => [
        element("h3", {}, title),
        items.length > 0 ? element("ol", {}, ...items.map(item)) : element("p", {}, empty),
      ]),
    ),
  );
  return {
    show: (report: Report): void => {
      showFindings(report.findings);
      showFacts(report.facts);
      showLists(report.lists);
      muting.textContent = isMuted() ? "Count my visits again" : "Leave out my visits";
    },
    remove: (): void => {
      const had = root.activeElement !== null;
      host.remove();
      if (had) (before as HTMLElement | null)?.focus?.({ preventScroll: true });
    },
  };
};
