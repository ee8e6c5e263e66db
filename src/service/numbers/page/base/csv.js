import { make } from "./elements.js";

/**
 * A cell in quotes, whatever it holds: each country's spreadsheets part cells at another character. What strangers have chosen may begin as a
 * formula does, and stands behind an apostrophe then.
 */
const cell = (value) => {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return `"${text.replaceAll('"', '""')}"`;
};

export const toCsv = (heads, rows) => [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** Saves a text as a file. */
export const save = (name, type, text) => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

/** A button that saves a table as a file. @param {() => { heads: string[], rows: (string | number)[][] }} table, or a promise of one */
export const csvButton = (name, label, table) => {
  const button = make("button.quiet", { type: "button", "aria-label": `${label} as CSV` }, "CSV");
  button.addEventListener("click", async () => {
    const { heads, rows } = await table();
    // With a mark of its encoding, without which some spreadsheets take it for another one.
    save(`${name}.csv`, "text/csv;charset=utf-8", `\ufeff${toCsv(heads, rows)}`);
  });
  return button;
};
