import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from "chart.js";
import { FORMATS } from "./series.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

/** A chart that is narrower has room for half of the labels. */
const NARROW_PX = 560;
/** Steps between two labels: ten seconds or ten minutes. */
const LABEL_EVERY = 10;

/** Stacked bars of the counts, in the colours of the stylesheet. */
export const createChart = (canvas, colours) => {
  const read = (property) => getComputedStyle(document.documentElement).getPropertyValue(property).trim();
  let format = FORMATS.seconds;
  /** Is a time, in milliseconds, to be written? Local midnight is round in zones of half an hour, too. */
  const isRound = (time, share) => {
    const [first, second] = chart.data.labels;
    const local = time - new Date(time).getTimezoneOffset() * 60_000;
    return local % ((second - first) * LABEL_EVERY * share) === 0;
  };

  const chart = new Chart(canvas, {
    type: "bar",
    data: { labels: [], datasets: [] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      scales: {
        x: {
          stacked: true,
          grid: { display: false },
          border: {},
          ticks: {
            maxRotation: 0,
            autoSkip: false,
            // Round times alone, and on a phone every other one.
            callback: (_, index) => {
              const time = chart.data.labels[index];
              return isRound(time, chart.width < NARROW_PX ? 2 : 1) ? format.format(time) : undefined;
            },
          },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          suggestedMax: 4,
          border: { display: false },
          grid: {},
          ticks: { precision: 0, maxTicksLimit: 6 },
        },
      },
      plugins: {
        tooltip: {
          filter: ({ parsed }) => parsed.y > 0,
          callbacks: { title: ([item]) => (item ? format.format(chart.data.labels[item.dataIndex]) : "") },
        },
      },
    },
  });

  const restyle = () => {
    const { x, y } = chart.options.scales;
    const font = { family: read("--sans"), size: 12 };
    Object.assign(x.ticks, { color: read("--muted"), font });
    Object.assign(y.ticks, { color: read("--muted"), font });
    x.border.color = read("--line");
    y.grid.color = read("--line");
  };

  restyle();
  return {
    /** Takes the colours up anew; they show at the next drawing. */
    restyle,
    draw({ times, names, values }, scale) {
      format = FORMATS[scale];
      const surface = read("--surface");
      chart.data.labels = times;
      chart.data.datasets = names.map((name, index) => ({
        label: name,
        data: values[index],
        backgroundColor: read(colours.property(name)),
        // A seam in the colour of the ground keeps neighbours in a stack apart without relying on their hues.
        borderColor: surface,
        borderWidth: { top: 1 },
        borderSkipped: false,
        categoryPercentage: 1,
        barPercentage: 0.8,
        maxBarThickness: 22,
      }));
      chart.update("none");
    },
  };
};
