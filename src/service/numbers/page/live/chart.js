import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from "chart.js";
import { createOutagePlugin } from "./outage.js";
import { FORMATS } from "./series.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

/** A chart that is narrower has room for half of the labels. */
const NARROW_PX = 560;
/** Steps between two labels: ten seconds or ten minutes. */
const LABEL_EVERY = 10;

/** The two halves of the chart, the upper one first; they share the times below. */
const LANES = { happened: "Happened", arrived: "Arrived" };

const laneScale = (name, weight) => ({
  position: "left",
  stack: "lanes",
  stackWeight: 1,
  weight,
  offset: true,
  stacked: true,
  beginAtZero: true,
  suggestedMax: 2,
  title: { display: true, text: LANES[name] },
  border: { display: false },
  grid: {},
  ticks: { precision: 0, maxTicksLimit: 4 },
});

/** Stacked bars of what happened, and below them of what arrived, in the colours of the stylesheet. */
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
    plugins: [createOutagePlugin(read)],
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
        arrived: laneScale("arrived", 1),
        happened: laneScale("happened", 2),
      },
      plugins: {
        tooltip: {
          filter: ({ parsed }) => parsed.y > 0,
          callbacks: {
            title: ([item]) => (item ? format.format(chart.data.labels[item.dataIndex]) : ""),
            label: ({ dataset, parsed }) => ` ${dataset.label}: ${parsed.y} ${dataset.yAxisID}`,
          },
        },
      },
    },
  });

  const restyle = () => {
    const { x, ...lanes } = chart.options.scales;
    const text = { color: read("--muted"), font: { family: read("--sans"), size: 12 } };
    Object.assign(x.ticks, text);
    x.border.color = read("--line");
    for (const lane of Object.values(lanes)) {
      Object.assign(lane.ticks, text);
      Object.assign(lane.title, text);
      lane.grid.color = read("--line");
    }
  };

  restyle();
  return {
    /** Takes the colours up anew; they show at the next drawing. */
    restyle,
    draw({ times, step, names, outages, ...lanes }, scale) {
      format = FORMATS[scale];
      const surface = read("--surface");
      chart.data.labels = times;
      chart.data.outages = { step, outages };
      chart.data.datasets = Object.entries(LANES).flatMap(([lane]) =>
        names.map((name, index) => ({
          label: name,
          yAxisID: lane,
          stack: lane,
          data: lanes[lane][index],
          backgroundColor: read(colours.property(name)),
          // A seam in the colour of the ground keeps neighbours in a stack apart without relying on their hues.
          borderColor: surface,
          borderWidth: { top: 1 },
          borderSkipped: false,
          grouped: false,
          categoryPercentage: 1,
          barPercentage: 0.8,
          maxBarThickness: 22,
        })),
      );
      chart.update("none");
    },
  };
};
