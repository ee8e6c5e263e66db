import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from "chart.js";
import { make } from "./elements.js";
import { number, short, stepFormat } from "./format.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

const read = (property) => getComputedStyle(document.documentElement).getPropertyValue(property).trim();

/**
 * Bars by step in the colours of the stylesheet.
 *
 * @param {string} label what it shows, for who cannot see it: the figures stand in the table behind it
 * @param {boolean} stacked whether the bars of a step stand on each other, or side by side
 */
export const createBars = (label, { stacked }) => {
  const canvas = make("canvas", { role: "img", "aria-label": `${label}: bars. The table below has the figures.` });
  let drawn;
  let format = stepFormat("7d");
  const chart = new Chart(canvas, {
    type: "bar",
    data: { labels: [], datasets: [] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      scales: {
        x: {
          stacked,
          grid: { display: false },
          border: {},
          ticks: { maxRotation: 0, autoSkipPadding: 16, callback: (_, at) => format.short(chart.data.labels[at]) },
        },
        y: {
          stacked,
          beginAtZero: true,
          suggestedMax: 4,
          border: { display: false },
          grid: {},
          ticks: { precision: 0, maxTicksLimit: 5, callback: (value) => short.format(value) },
        },
      },
      plugins: {
        tooltip: {
          filter: ({ parsed }) => parsed.y > 0,
          callbacks: {
            title: ([item]) => (item ? format.long(chart.data.labels[item.dataIndex]) : ""),
            label: ({ dataset, parsed }) => ` ${dataset.label}: ${number(parsed.y)}`,
          },
        },
      },
    },
  });

  const draw = () => {
    if (drawn === undefined) return;
    const { span, starts, series } = drawn;
    format = stepFormat(span);
    const text = { color: read("--muted"), font: { family: read("--sans"), size: 12 } };
    const { x, y } = chart.options.scales;
    Object.assign(x.ticks, text);
    Object.assign(y.ticks, text);
    x.border.color = read("--line");
    y.grid.color = read("--line");
    chart.data.labels = starts;
    chart.data.datasets = series.map(({ label, counts, colour }) => ({
      label,
      data: counts,
      backgroundColor: read(colour),
      // A seam in the colour of the ground keeps neighbours in a stack apart without relying on their hues.
      borderColor: read("--surface"),
      borderWidth: stacked ? { top: 1 } : 0,
      borderSkipped: false,
      // Few steps leave room between them, so that the bars of one stand together.
      categoryPercentage: starts.length < 10 ? 0.6 : 0.9,
      barPercentage: 0.9,
    }));
    chart.update("none");
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return {
    element: make("div.canvas", {}, canvas),
    draw(numbers) {
      drawn = numbers;
      draw();
    },
  };
};
