/** What the panel is made of. Whatever is shown is text: nothing of the page, the storage or the service becomes markup. */
import type { State } from "../find/evidence.js";
import type { Line } from "../find/steps.js";

type Child = Node | string;

export const element = (tag: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement => {
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

export const lineItem = ({ state, title, text, note }: Line): HTMLElement =>
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
