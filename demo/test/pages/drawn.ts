import type { Locator, Page } from "playwright/test";

/** How often the live page tells of that event_uid, or of all of them, as arrived or as happened: the sum of a column of the chart's table. */
export const drawn = (live: Page, name?: string, lane: "arrived" | "happened" = "arrived") =>
  live.getByRole("table", { name: "The chart as a table", includeHidden: true }).evaluate(
    (table: HTMLTableElement, wanted) => {
      const [heads, ...rows] = [...table.rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent));
      const column = heads!.indexOf(wanted);
      return rows.reduce((total, row) => total + Number((row[column] ?? "0").replace(",", "")), 0);
    },
    `${name ?? "All"} ${lane}`,
  );

/** Has the chart something in this colour of the stylesheet, as it is now? */
export const hasColour = (chart: Locator, property: string) =>
  chart.locator("canvas").evaluate((canvas: HTMLCanvasElement, property) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${property})`;
    const wanted = getComputedStyle(probe).color.match(/\d+/g)!.map(Number);
    probe.remove();
    for (let at = 0; at < data.length; at += 4)
      if (wanted.every((value, channel) => Math.abs(value - data[at + channel]!) < 3)) return true;
    return false;
  }, property);
