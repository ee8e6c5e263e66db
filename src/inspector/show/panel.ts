/** The panel. */

import type { Step } from "../find/steps.js";
import { button, element, item, stepItem } from "./elements.js";
import type { Report } from "./report.js";
import { STYLE } from "./style.js";

export interface Controls {
  names: string[];
  name: string;
  choose: (name: string) => void;
  send: () => void;
  /** Sends an event that is named a test, the whole way. */
  test: () => void;
  /** Copies what is shown, as text. @returns whether that was done */
  copy: () => boolean;
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
  const headline = element("p", { class: "headline" });
  const causes = element("ul", { class: "causes" });
  const status = element("div", { role: "status", "aria-label": "Findings" }, headline, causes);
  const tested = element("p", { "aria-live": "polite", class: "tested" });
  const steps = element("ol", { class: "steps", "aria-label": "Steps" });
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
      button("Copy", () => {
        copied.textContent = copy() ? "Copied." : "The browser does not let this page copy.";
      }),
      button("Close", close),
    ),
    copied,
    // Focusable, so that the keyboard can scroll it.
    element(
      "div",
      { class: "body", tabindex: "0", role: "group", "aria-label": "State" },
      status,
      button("Send a test event", test),
      tested,
      steps,
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
  const showHeadline = createPart<Pick<Report, "kind" | "headline">>(({ kind, headline: text }) => {
    headline.className = `headline ${kind}`;
    // How long ago is written each second, and not to be spoken as often.
    headline.setAttribute("aria-live", kind === "good" ? "off" : "polite");
    headline.textContent = text;
  });
  const showSteps = createPart<Step[]>((found) => {
    steps.replaceChildren(...found.map(stepItem));
    causes.replaceChildren(
      ...found.flatMap(({ state, name, causes }) =>
        causes.map((cause) =>
          element("li", { class: state }, element("span", {}, element("b", {}, `${name}: `), cause)),
        ),
      ),
    );
  });
  const showLists = createPart<Report["lists"]>((found) =>
    lists.replaceChildren(
      ...found.flatMap(({ title, empty, note, items }) => [
        element("h3", {}, title),
        ...(note ? [element("p", {}, note)] : []),
        items.length > 0 ? element("ol", {}, ...items.map(item)) : element("p", {}, empty),
      ]),
    ),
  );
  return {
    show: (report: Report): void => {
      const { kind, headline } = report;
      showHeadline({ kind, headline });
      tested.textContent = report.test;
      showSteps(report.steps);
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
