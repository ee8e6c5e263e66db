export const find = (selector, within = document) => within.querySelector(selector);

/**
 * An element with attributes and content; text is never parsed as HTML.
 *
 * @param {string} name of the tag, with classes behind dots
 */
export const make = (name, attributes = {}, ...content) => {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  made.classList.add(...classes);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...content);
  return made;
};

export const link = (href, text, attributes = {}) => make("a", { href, ...attributes }, text);

/** Puts new content into an element. Who was at a link or a button there is at the same one afterwards. */
export const replace = (element, ...content) => {
  const { activeElement: at } = document;
  const key = element.contains(at) ? (at.getAttribute("aria-label") ?? at.textContent) : undefined;
  element.replaceChildren(...content);
  if (key !== undefined)
    [...element.querySelectorAll("a, button")]
      .find((one) => (one.getAttribute("aria-label") ?? one.textContent) === key)
      ?.focus({ preventScroll: true });
};

const cell = (value, at) => {
  if (at === 0) return make("th", { scope: "row" }, value);
  return typeof value === "number" ? make("td.number", {}, value.toLocaleString()) : make("td", {}, value);
};

/** A table whose first column heads its rows; cells of numbers stand to the right. */
export const makeTable = (label, heads, rows) =>
  make(
    "table",
    { "aria-label": label },
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))),
  );

const makeRegion = (tag, label, content) =>
  make(tag, { tabindex: "0", role: "region", "aria-label": `${label}: table` }, ...content);

/** What is wider or longer than its card, and is reached by keys. */
export const makeScroll = (label, ...content) => makeRegion("div.scroll", label, content);

/** The same of a list that is as long as it is. */
export const makeWhole = (label, ...content) => makeRegion("div.scroll.whole", label, content);
