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

/** A table whose first column heads its rows; cells of numbers stand to the right. */
export const makeTable = (label, heads, rows) => {
  const cell = (value, at) =>
    at === 0
      ? make("th", { scope: "row" }, value)
      : make(
          typeof value === "number" ? "td.number" : "td",
          {},
          typeof value === "number" ? value.toLocaleString() : value,
        );
  return make(
    "table",
    { "aria-label": label },
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))),
  );
};
