import uPlot from "uplot";
import { make } from "../base/elements.js";
import { number, short } from "../base/format.js";

const read = (property) => getComputedStyle(document.documentElement).getPropertyValue(property).trim();
const HEIGHT = 240;

/** A stack is drawn from its whole down, each part over the larger one: sums of the first series, of the first two, … */
const toStack = (series) => {
  let below = [];
  return series
    .map((one) => {
      below = one.counts.map((count, at) => count + (below[at] ?? 0));
      return { ...one, drawn: below };
    })
    .reverse();
};

/**
 * Bars by step in the colours of the stylesheet.
 *
 * @param {string} label what it shows, for who cannot see it: the figures stand in the table behind it
 * @param {boolean} stacked whether the bars of a step stand on each other, or side by side
 */
export const createBars = (label, { stacked }) => {
  const element = make("div.canvas", { role: "img", "aria-label": `${label}: bars. The table below has the figures.` });
  const tip = make("div.tip", { hidden: "" });
  let plot;
  let drawn;

  const width = () => Math.max(200, element.clientWidth);
  const draw = () => {
    if (drawn === undefined) return;
    const { starts, series, format, open } = drawn;
    const ink = { stroke: read("--muted"), font: `12px ${read("--sans")}` };
    const line = { stroke: read("--line"), width: 1 };
    const bars = stacked ? toStack(series) : series.map((one) => ({ ...one, drawn: one.counts }));
    const paths = (at) =>
      // Few steps leave room between them, so that the bars of one stand together.
      uPlot.paths.bars({ size: [stacked ? (starts.length < 10 ? 0.6 : 0.9) : 0.4], align: stacked ? 0 : [-1, 1][at] });
    const move = (chart) => {
      const { idx, left } = chart.cursor;
      const counts = idx == null ? [] : series.filter((one) => one.counts[idx] > 0);
      tip.hidden = idx == null || left < 0;
      if (tip.hidden) return;
      const lines = counts.map((one) => make("li", {}, `${one.label}: ${number(one.counts[idx])}`));
      tip.replaceChildren(make("b", {}, format.long(starts[idx])), make("ul", {}, ...lines));
      tip.style.setProperty("--left", `${Math.min(left, chart.over.clientWidth - tip.offsetWidth)}px`);
    };
    plot?.destroy();
    plot = new uPlot(
      {
        ...{ width: width(), height: HEIGHT, legend: { show: false } },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: {
          x: { time: false, range: [-0.5, starts.length - 0.5] },
          y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.05)] },
        },
        axes: [
          {
            ...{ ...ink, grid: { show: false }, ticks: line, border: { ...line, show: true }, space: 64 },
            incrs: [1, 2, 3, 5, 7, 10, 14, 30, 60],
            values: (_chart, splits) => splits.map((at) => (at in starts ? format.short(starts[at]) : "")),
          },
          {
            ...{ ...ink, grid: line, ticks: { show: false }, size: 48, space: 48 },
            incrs: Array.from({ length: 36 }, (_, at) => [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3)),
            values: (_chart, splits) => splits.map((value) => short.format(value)),
          },
        ],
        series: [
          {},
          ...bars.map(({ label, colour }, at) => ({
            ...{ label, paths: paths(at), points: { show: false }, fill: read(colour) },
            // A seam in the colour of the ground keeps neighbours in a stack apart without relying on their hues.
            ...{ stroke: read("--surface"), width: stacked ? 1 : 0 },
          })),
        ],
        hooks: { setCursor: [move] },
      },
      [starts.map((_, at) => at), ...bars.map((one) => one.drawn)],
      element,
    );
    plot.over.append(tip);
    tip.hidden = true;
    plot.over.classList.toggle("opens", open !== undefined);
    if (open) plot.over.addEventListener("click", () => plot.cursor.idx != null && open(starts[plot.cursor.idx]));
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(() => plot?.setSize({ width: width(), height: HEIGHT })).observe(element);
  return {
    element,
    /** @param {{ starts: number[], series: object[], format: object, open?: (start: number) => void }} figures `open` goes to a step */
    draw(figures) {
      drawn = figures;
      draw();
    },
  };
};
