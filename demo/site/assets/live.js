import { loadContacts } from "./contacts.js";
import { followArrivals } from "./live/arrivals.js";
import { createChart } from "./live/chart.js";
import { createChartText } from "./live/chart-text.js";
import { createColours } from "./live/colours.js";
import { createModel } from "./live/model.js";
import { createRows } from "./live/rows.js";
import { gather } from "./live/series.js";

/** Milliseconds between two drawings: one event shows in the next frame, many of them five times a second. */
const DRAW_MS = 200;
/** Milliseconds after which the chart is drawn although nothing came: time goes on. */
const TICK_MS = 1_000;

const find = (selector) => document.querySelector(selector);
const { serviceUrl } = document.body.dataset;
const state = find("[data-state]");
const pause = find("[data-action=pause]");

const model = createModel();
const colours = createColours();
const chart = createChart(find("canvas[data-live]"), colours);
const chartText = createChartText(document, colours);
const rows = createRows(find("[data-rows]"), colours);
const names = { contacts: new Map(), accounts: new Map() };

let scale = "seconds";
let connection = "connecting";
let paused = false;
let held = 0;
let hasRows = false;
let isDue = false;
let drawnAt = 0;
let outages = [];

/** That nothing has arrived is known only once the service has said so. */
const showEmpty = () => {
  const isEmpty = !hasRows && held === 0;
  find("[data-wait]").hidden = !isEmpty || connection === "live";
  find("[data-empty]").hidden = !isEmpty || connection !== "live";
};

const drawChart = () => {
  const counts = gather(model.series(scale, Date.now()), colours);
  const series = { ...counts, outages: outages.filter(([, to]) => to === null || to > counts.times[0]) };
  chart.draw(series, scale);
  chartText.draw(series, scale);
};

/** Draws whatever came since the last time, at once: a thousand events cost one drawing. */
const draw = (now) => {
  isDue = false;
  if (paused) return;
  drawnAt = now;
  hasRows = rows.add(model.take(), names);
  showEmpty();
  drawChart();
};
const requestDraw = () => {
  if (isDue) return;
  isDue = true;
  setTimeout(() => requestAnimationFrame(draw), drawnAt + DRAW_MS - performance.now());
};

const WORDS = { connecting: "Connecting", live: "Live", paused: "Paused", reconnecting: "Reconnecting" };
const showState = () => {
  const name = paused && connection === "live" ? "paused" : connection;
  if (state.dataset.state === name) return;
  state.dataset.state = name;
  state.textContent = WORDS[name];
};

const showPause = () => {
  pause.setAttribute("aria-pressed", String(paused));
  pause.textContent = paused ? `Resume${held ? ` (${held} new)` : ""}` : "Pause";
};
pause.addEventListener("click", () => {
  paused = !paused;
  held = 0;
  showPause();
  showState();
  requestDraw();
});

for (const radio of document.querySelectorAll("[name=scale]")) {
  // A browser restores the choice of before a reload without a "change".
  if (radio.checked) scale = radio.value;
  radio.addEventListener("change", () => {
    scale = radio.value;
    drawChart();
  });
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  chart.restyle();
  drawChart();
});

setInterval(() => {
  if (!paused && !document.hidden) drawChart();
}, TICK_MS);

const receive = (event) => {
  if (!model.add(event)) return;
  colours.claim(event.event_uid, model.has);
  if (paused) {
    held += 1;
    showEmpty();
    showPause();
  } else requestDraw();
};

// The demo's site knows when the service was away.
if ("outages" in document.body.dataset)
  import("./service.js").then(({ watchService }) =>
    watchService((service) => {
      ({ outages } = service);
    }),
  );
drawChart();
showEmpty();
loadContacts(serviceUrl)
  .catch(() => [])
  .then((contacts) => {
    for (const contact of contacts) {
      names.contacts.set(contact.uid, contact.name);
      for (const account of contact.accounts) names.accounts.set(account.uid, account.name);
    }
    followArrivals(serviceUrl, receive, (name) => {
      connection = name;
      showState();
      showEmpty();
    });
  });
