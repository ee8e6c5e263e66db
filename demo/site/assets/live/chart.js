import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from "chart.js";
import { FORMATS } from "./series.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

/** Stacked bars of the counts, in the colours of the stylesheet. */
export const createChart = (canvas, colours) => {
  const read = (property) => getComputedStyle(document.documentElement).getPropertyValue(property).trim();
  let format = FORMATS.seconds;

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
            autoSkipPadding: 24,
            callback: (_, index) => format.format(chart.data.labels[index]),
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
