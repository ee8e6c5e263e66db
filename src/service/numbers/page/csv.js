import { make } from "./elements.js";

/** A cell that a spreadsheet takes for text: what strangers have chosen may begin as a formula does. */
const cell = (value) => {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  // Quoted, whatever is in it: not every spreadsheet takes the comma alone for the end of a cell.
  return `"${text.replaceAll('"', '""')}"`;
};

export const toCsv = (heads, rows) => [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** A button that saves a table as a file. @param {() => { heads: string[], rows: (string | number)[][] }} table */
export const csvButton = (name, label, table) => {
  const button = make("button.quiet", { type: "button", "aria-label": `${label} as CSV` }, "CSV");
  button.addEventListener("click", () => {
    const { heads, rows } = table();
    // With a mark of its encoding, without which some spreadsheets take it for another one.
    const url = URL.createObjectURL(new Blob(["\ufeff", toCsv(heads, rows)], { type: "text/csv;charset=utf-8" }));
    make("a", { href: url, download: `${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  return button;
};
