import uPlot from "uplot";
import { make } from "./elements.js";
import { number, type StepFormat, short } from "./format.js";

export interface Series {
  label: string;
  /** By step. */
  counts: readonly number[];
  /** Name of the property in the stylesheet. */
  colour: string;
}
export interface Figures {
  /** The start of each step, in epoch milliseconds. */
  starts: readonly number[];
  series: readonly Series[];
  format: StepFormat;
  /** Goes to a step. */
  open?: (start: number) => void;
  /** From when to when the service was away; without an end it still is. Steps are all as long then. */
  outages?: readonly (readonly [from: number, to: number | null])[];
}

const read = (property: string) => getComputedStyle(document.documentElement).getPropertyValue(property).trim();

/** Sums of the first series, of the first two, …: each part is drawn over the larger one. */
const toStack = (series: readonly Series[]): Series[] => {
  let below: readonly number[] = [];
  const sums = series.map((one) => {
    below = one.counts.map((count, at) => count + (below[at] ?? 0));
    return { ...one, counts: below };
  });
  return sums.reverse();
};

/**
 * Bars by step in the colours of the stylesheet.
 *
 * @param label what it shows, for who cannot see it: the figures stand in the table behind it
 * @param isStacked do the bars of a step stand on each other, or side by side?
 */
export const createBars = (label: string, { isStacked = false, height = 240 } = {}) => {
  const element = make("div.canvas", { role: "img", "aria-label": `${label}: bars. The table below has the figures.` });
  element.style.height = `${height}px`;
  const tip = make("div.tip", { hidden: true });
  let plot: uPlot | undefined;
  let drawn: Figures | undefined;
  let shown = "";

  const width = () => Math.max(200, element.clientWidth);
  /** Of steps that are all as long, the number of the first one: what is round for it is a round time. */
  const firstOf = ({ starts: [first = 0, second = 0], outages }: Figures) => (outages ? first / (second - first) : 0);

  const showTip = ({ cursor: { idx, left = -1 }, over }: uPlot) => {
    const { starts, series, format } = drawn!;
    tip.hidden = idx == null || left < 0;
    if (idx == null || tip.hidden) return;
    const lines = series.filter(({ counts }) => counts[idx]! > 0);
    tip.replaceChildren(
      make("b", format.long(starts[idx]!)),
      make("ul", ...lines.map(({ label, counts }) => make("li", `${label}: ${number(counts[idx]!)}`))),
    );
    tip.style.setProperty("--left", `${Math.min(left, over.clientWidth - tip.offsetWidth)}px`);
  };
  const drawOutages = (chart: uPlot) => {
    const { starts, outages = [] } = drawn!;
    const { left, top, width, height } = chart.bbox;
    const place = (time: number) =>
      Math.min(left + width, Math.max(left, chart.valToPos(time / (starts[1]! - starts[0]!) - 0.5, "x", true)));
    chart.ctx.fillStyle = read("--outage");
    for (const [from, to] of outages)
      chart.ctx.fillRect(place(from), top, place(to ?? Number.POSITIVE_INFINITY) - place(from), height);
  };

  const optionsOf = (figures: Figures, bars: readonly Series[]): uPlot.Options => {
    const ink = { stroke: read("--muted"), font: `12px ${read("--sans")}` };
    const line = { stroke: read("--line"), width: 1 };
    const paths = (at: number) => {
      // Few steps leave room between them, so that the bars of one stand together.
      const size = isStacked ? (figures.starts.length < 10 ? 0.6 : 0.9) : 0.4;
      return uPlot.paths.bars!({ size: [size], align: isStacked ? 0 : at === 0 ? -1 : 1 });
    };
    return {
      width: width(),
      height,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: () => [firstOf(drawn!) - 0.5, firstOf(drawn!) + drawn!.starts.length - 0.5] },
        y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.05)] },
      },
      axes: [
        {
          ...ink,
          grid: { show: false },
          ticks: line,
          border: { ...line, show: true },
          size: 32,
          space: 64,
          incrs: [1, 2, 3, 5, 7, 10, 14, 20, 30, 60],
          values: (_chart, splits) =>
            splits.map((at) => {
              const start = drawn!.starts[at - firstOf(drawn!)];
              return start === undefined ? "" : drawn!.format.short(start);
            }),
        },
        {
          ...ink,
          grid: line,
          ticks: { show: false },
          size: 48,
          space: height / 5,
          incrs: Array.from({ length: 36 }, (_, at) => [1, 2, 5][at % 3]! * 10 ** Math.floor(at / 3)),
          values: (_chart, splits) => splits.map((value) => short(value)),
        },
      ],
      series: [
        {},
        ...bars.map(({ label, colour }, at) => ({
          label,
          paths: paths(at),
          points: { show: false },
          fill: read(colour),
          // A seam in the colour of the ground keeps neighbours in a stack apart without relying on their hues.
          stroke: read("--surface"),
          width: isStacked ? 1 : 0,
        })),
      ],
      hooks: { setCursor: [showTip], drawClear: [drawOutages] },
    };
  };
  const draw = (isAnew = false) => {
    if (drawn === undefined) return;
    const bars = isStacked ? toStack(drawn.series) : drawn.series;
    const first = firstOf(drawn);
    const data = [drawn.starts.map((_, at) => first + at), ...bars.map(({ counts }) => counts)] as uPlot.AlignedData;
    const showing = JSON.stringify([drawn.starts.length, bars.map(({ label, colour }) => [label, colour])]);
    if (plot && !isAnew && showing === shown) {
      plot.setData(data);
      return void showTip(plot);
    }
    shown = showing;
    plot?.destroy();
    plot = new uPlot(optionsOf(drawn, bars), data, element);
    plot.over.append(tip);
    tip.hidden = true;
    plot.over.addEventListener("click", () => {
      const start = drawn!.starts[plot!.cursor.idx ?? -1];
      if (start !== undefined) drawn!.open?.(start);
    });
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(true));
  new ResizeObserver(() => plot?.setSize({ width: width(), height })).observe(element);
  return {
    element,
    draw(figures: Figures): void {
      drawn = figures;
      draw();
      plot!.over.classList.toggle("opens", figures.open !== undefined);
    },
  };
};
