import type { Page } from "playwright/test";

/** How often the chart on the live page shows that event_uid, or all of them, as arrived or as happened, read from what is drawn. */
export const drawn = (live: Page, name?: string, lane: "arrived" | "happened" = "arrived") =>
  live.evaluate<number>(`import("/vendor/chart.js/chart.js").then(({ Chart }) => {
    const { datasets } = Chart.getChart(document.querySelector("canvas")).data;
    const wanted = datasets.filter(
      ({ label, yAxisID }) => yAxisID === "${lane}" && (${name === undefined} || label === ${JSON.stringify(name ?? "")}),
    );
    return wanted.flatMap(({ data }) => data).reduce((total, count) => total + count, 0);
  })`);
