import { followArrivals } from "./arrivals.js";
import { createChart } from "./chart.js";
import { createChartText } from "./chart-text.js";
import { createColours } from "./colours.js";
import { makeLive } from "./elements.js";
import { createModel } from "./model.js";
import { createRows } from "./rows.js";
import { gather } from "./series.js";

/** Milliseconds between two drawings: one event shows in the next frame, many of them five times a second. */
const DRAW_MS = 200;
/** Milliseconds after which the chart is drawn although nothing came: time goes on. */
const TICK_MS = 1_000;

/** Names by uid, where they are known. */
const NONE = { contacts: new Map(), accounts: new Map() };

/**
 * Shows each event as it arrives, until the view is taken out of the document.
 *
 * @param {Element} parent
 * @param {(query: URLSearchParams) => Promise<object[]>} read events of `GET /v2/events`; rejects while there is no answer
 * @param {{ contacts: Map<string, string>, accounts: Map<string, string> }} names
 */
export const showLive = (parent, read, names = NONE) => {
  const view = makeLive();
  parent.append(view);
  const isShown = () => view.isConnected && !view.hidden;
  const find = (selector) => view.querySelector(selector);
  const state = find("[data-state]");
  const pause = find("[data-action=pause]");

  const model = createModel();
  const colours = createColours();
  const chart = createChart(find("canvas[data-live]"), colours);
  const chartText = createChartText(view, colours);
  const rows = createRows(find("[data-rows]"), colours);

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

  for (const radio of view.querySelectorAll("[name=scale]")) {
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
    if (!paused && !document.hidden && isShown()) drawChart();
  }, TICK_MS);

  const receive = (event) => {
    if (!model.add(event)) return;
    colours.claim(event.event_uid, (name) => model.has(name, scale));
    if (paused) {
      held += 1;
      showEmpty();
      showPause();
    } else requestDraw();
  };

  drawChart();
  showEmpty();
  followArrivals(
    { read, isShown },
    {
      onEvent: receive,
      onState: (name) => {
        connection = name;
        showState();
        showEmpty();
      },
    },
  );
  return {
    view,
    /** Draws when the service was away. @param {[from: number, to: number | null][]} times epoch milliseconds */
    markOutages(times) {
      outages = times;
    },
  };
};
