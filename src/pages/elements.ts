import { number } from "./format.js";

/* What the pages are made of: elements, tables, files. Text is never parsed as HTML. */

export type Content = Node | string;
type Attributes = Record<string, string | boolean | undefined | ((event: Event) => unknown)>;
type Tag<N> = N extends `${infer T}.${string}` ? T : N;
type Made<N> = Tag<N> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag<N>] : HTMLElement;

export const find = <E extends HTMLElement>(selector: string, within: ParentNode = document): E =>
  within.querySelector<E>(selector)!;

/**
 * An element with its attributes and content: a function listens to the event of that name, `--name` is a property for the stylesheet.
 *
 * @param name of the tag, with classes behind dots
 */
export const make = <N extends string>(name: N, ...parts: (Attributes | Content)[]): Made<N> => {
  const [tag, ...classes] = name.split(".");
  const made = /^(svg|polyline)$/.test(tag!)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag!)
    : document.createElement(tag!);
  made.classList.add(...classes);
  for (const part of parts)
    if (typeof part === "string" || part instanceof Node) made.append(part);
    else
      for (const [attribute, value] of Object.entries(part)) {
        if (typeof value === "function") made.addEventListener(attribute, value);
        else if (attribute.startsWith("--")) made.style.setProperty(attribute, String(value));
        else if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? "" : value);
      }
  return made as Element as Made<N>;
};

export const link = (href: string, text: string, attributes: Attributes = {}) =>
  make("a", { href, ...attributes }, text);

/** A name, which is broken at its signs where there is no room. */
export const breakable = (text: string): Content[] => text.split(/(?<=[_@./-])/).flatMap((part) => [part, make("wbr")]);

/** What stands beside each other in a sentence. */
export const withCommas = (parts: readonly Content[]): Content[] =>
  parts.flatMap((part, at) => (at > 0 ? [", ", part] : [part]));

/** Puts new content into an element. Who was at a link or a button there is at the same one afterwards. */
export const replace = (element: Element, ...content: Content[]): void => {
  const { activeElement: at } = document;
  const nameOf = (one: Element) => one.getAttribute("aria-label") ?? one.textContent;
  const name = element.contains(at) ? nameOf(at!) : undefined;
  element.replaceChildren(...content);
  if (name === undefined) return;
  const same = [...element.querySelectorAll<HTMLElement>("a, button")].find((one) => nameOf(one) === name);
  same?.focus({ preventScroll: true });
};

/** One of several, by radio buttons. */
export const makeChoice = (
  legend: string,
  name: string,
  texts: Record<string, string>,
  chosen: (value: string) => void,
) => {
  const radios = Object.entries(texts).map(([value, text]) =>
    make("label", make("input", { type: "radio", name, value, change: () => chosen(value) }), make("span", text)),
  );
  return make("fieldset.segments", make("legend.hidden", legend), ...radios);
};
export const check = (choice: HTMLElement, value: string | undefined): void => {
  for (const radio of choice.querySelectorAll("input")) radio.checked = radio.value === value;
};

/**
 * A form of texts.
 *
 * @param fields by their names: what each is called, its attributes, its choices, and what is said of it
 * @param submitted hears what was given
 */
export const makeForm = (
  name: "form" | `form.${string}`,
  fields: Record<string, readonly [label: string, attributes?: Attributes, choices?: readonly Node[], hint?: string]>,
  text: string,
  submitted: (given: Record<string, string>) => void,
) => {
  const labels = Object.entries(fields).map(([name, [label, attributes = {}, choices, hint]]) => {
    const field = choices
      ? make("select", { name }, ...choices)
      : make("input", { name, autocomplete: "off", ...attributes });
    return make("label", make("span", label), field, ...(hint ? [make("small", hint)] : []));
  });
  const submit = (event: Event) => {
    event.preventDefault();
    submitted(Object.fromEntries(new FormData(form)) as Record<string, string>);
  };
  const form = make(name, { submit }, ...labels, make("button.quiet", { type: "submit" }, text)) as HTMLFormElement;
  return form;
};
/** Puts texts into the fields of a form; once, so that what is typed meanwhile stays. */
export const fill = (form: HTMLFormElement, texts: Record<string, string | undefined>): void => {
  const filled = JSON.stringify(texts);
  if (form.dataset.filled === filled) return;
  form.dataset.filled = filled;
  for (const field of form.querySelectorAll("input")) field.value = texts[field.name] ?? "";
};

/** A column of a table, and of the file that is made of it. */
export interface Column<T> {
  head: string;
  /** What the file has; without it, the column is for the page alone. */
  of?: (one: T) => string | number | null | undefined;
  /** How it is shown, where that is not what the file has; `null` where it is for the file alone. */
  shown?: ((one: T) => Content | number) | null;
}

/** A table whose first column heads its rows; cells of numbers stand to the right. @param name of its tag, with classes */
export const makeTable = <T, C extends Column<T>>(
  label: string,
  columns: readonly C[],
  data: readonly T[],
  { name = "table", makeHead = ({ head }: C) => make("th", { scope: "col" }, ...breakable(head)) } = {},
) => {
  const shown = columns.filter((column) => column.shown !== null);
  const cell = (column: C, one: T, at: number) => {
    const value = (column.shown ?? column.of)!(one) ?? "";
    const text = typeof value === "number" ? number(value) : value;
    if (at === 0) return make("th", { scope: "row" }, text);
    return make(typeof value === "number" ? "td.number" : "td", text);
  };
  return make(
    name,
    { "aria-label": label },
    make("thead", make("tr", ...shown.map(makeHead))),
    make("tbody", ...data.map((one) => make("tr", ...shown.map((column, at) => cell(column, one, at))))),
  );
};

/** What is wider or longer than its card, says so where it is wider, and is reached by keys. @param name with `.whole`, of what is as long as it is */
export const makeScroll = (label: string, content: readonly Content[] = [], name = "div.scroll") => {
  const box = make(name, { tabindex: "0", role: "region", "aria-label": `${label}: table` }, ...content) as HTMLElement;
  const tell = () => box.toggleAttribute("data-wide", box.scrollWidth > box.clientWidth);
  // In the next frame, as what is said changes the size.
  new ResizeObserver(() => requestAnimationFrame(tell)).observe(box);
  return box;
};

/** The same, to be unfolded. */
export const makeFold = (table: Node) => make("details", make("summary", "As a table"), table);

/** Saves a text as a file. */
export const save = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

/**
 * A cell in quotes, whatever it holds: each country's spreadsheets part cells at another character. What strangers have chosen may begin as a
 * formula does, and stands behind an apostrophe then.
 */
const quote = (value: unknown): string => {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return `"${text.replaceAll('"', '""')}"`;
};

/** What a file is made of. */
export const toLines = <T>(columns: readonly Column<T>[], data: readonly T[]): unknown[][] => {
  const kept = columns.filter(({ of }) => of !== undefined);
  return [kept.map(({ head }) => head), ...data.map((one) => kept.map(({ of }) => of!(one)))];
};

/** A button that saves a table as a file. */
export const makeCsvButton = (name: () => string, label: string, lines: () => unknown[][] | Promise<unknown[][]>) => {
  const click = async () => {
    const text = (await lines()).map((line) => `${line.map(quote).join(",")}\r\n`).join("");
    // With a mark of its encoding, without which some spreadsheets take it for another one.
    save(`${name()}.csv`, "text/csv;charset=utf-8", `\ufeff${text}`);
  };
  return make("button.quiet", { type: "button", "aria-label": `${label} as CSV`, click }, "CSV");
};
