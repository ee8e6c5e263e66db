/** What the panel is made of. Whatever is shown is text: nothing of the page, the storage or the service becomes markup. */
import type { Step } from "../find/steps.js";
import type { Line } from "./lists.js";

type Child = Node | string;

export const element = (tag: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

export const button = (label: string, run: () => void): HTMLElement => {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", run);
  return made;
};

export const item = ([text, note, kind = ""]: Line): HTMLElement =>
  element("li", {}, element("span", {}, text), ...(note ? [element("span", kind ? { class: kind } : {}, note)] : []));

const MARKS: Record<Step["state"], string> = { good: "✓", bad: "✕", waits: "…", unknown: "·" };

export const stepItem = ({ name, state, expected, seen }: Step): HTMLElement =>
  element(
    "li",
    { class: state },
    element("span", { class: "mark", role: "img", "aria-label": state }, MARKS[state]),
    element(
      "div",
      {},
      element("b", {}, name),
      ` ${expected}`,
      ...(state === "unknown" ? [] : [element("code", { title: seen }, seen)]),
    ),
  );
