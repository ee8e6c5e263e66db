import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../support/launch.js";

it("computes what a rate of events needs from what was measured", async () => {
  const page = await readFile(join(ROOT, "docs/service/scale.md"), "utf8");
  /** The cells of a table's rows, without the heading. */
  const rows = (heading: string): string[][] => {
    const lines = page.slice(page.indexOf(heading)).split("\n\n")[0]!.split("\n").slice(2);
    return lines.map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  };
  const number = (text = "") => Number(text.replaceAll(",", ""));
  const measured = rows("| Figure").map(([, value]) => number(value));
  const [service, database, stored, logged] = measured as [number, number, number, number];
  const terabytes = (bytes: number) => `${(bytes / 1e12).toFixed(2)} TB`;
  const lines = rows("| Events a second");
  expect(lines.map(([rate]) => number(rate))).toEqual([1_000, 100_000, 10_000_000]);
  for (const [rate, ...needs] of lines) {
    const aDay = number(rate) * 86_400;
    const cores = Math.ceil((2 * number(rate) * database) / 1e6);
    expect(needs, rate).toEqual([
      `${(aDay / 1e9).toLocaleString("en-US", { maximumFractionDigits: 2 })} billion`,
      Math.max(2, Math.ceil((2 * number(rate) * service) / 1e6)).toLocaleString("en-US"),
      cores.toLocaleString("en-US"),
      Math.ceil(Math.max(cores / 16, (aDay * stored * 30) / 10e12)).toLocaleString("en-US"),
      ...[terabytes(aDay * stored), terabytes(aDay * logged)],
    ]);
  }
});
