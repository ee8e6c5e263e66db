import { FORMATS, sum } from "./series.js";

const SPANS = { seconds: "the last minute", minutes: "the last hour" };
const plural = (count) => `${count} ${count === 1 ? "event" : "events"}`;

const make = (tag, text, scope) => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (scope) made.scope = scope;
  return made;
};

/** How long the service was away in the time that is shown, as a sentence. */
const awayIn = ({ times: [first], outages }) => {
  const ms = sum(outages.map(([from, to]) => (to ?? Date.now()) - Math.max(from, first)));
  if (ms < 1_000) return "";
  return ` The service was away for ${ms < 90_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`}.`;
};

/** What the chart shows, for those who do not see it, and for everybody: a legend, a sentence and a table. */
export const createChartText = (page, colours) => {
  const find = (selector) => page.querySelector(selector);

  const drawLegend = (names, values) => {
    const items = names.map((name, index) => {
      const swatch = make("i", "");
      swatch.className = "swatch";
      swatch.style.setProperty("--colour", `var(${colours.property(name)})`);
      const item = make("li", "");
      const label = make("span", name);
      label.className = "event-name";
      item.append(swatch, label, make("b", sum(values[index])));
      return item;
    });
    find("[data-legend]").replaceChildren(...items);
  };

  const drawNumbers = ({ times, step, names, happened, arrived, outages }, format) => {
    const head = make("tr", "");
    head.append(
      ...["Time", "Service", "All happened", "All arrived", ...names.map((name) => `${name} arrived`)].map((title) =>
        make("th", title, "col"),
      ),
    );
    const at = (lane, index) => lane.map((counts) => counts[index]);
    const isAway = (time) => outages.some(([from, to]) => from < time + step && (to ?? time + step) > time);
    const lines = times
      .map((time, index) => [time, isAway(time), sum(at(happened, index)), at(arrived, index)])
      .filter(([, away, before, counts]) => away || before + sum(counts) > 0)
      .reverse()
      .map(([time, away, before, counts]) => {
        const line = make("tr", "");
        const cells = [away ? "away" : "up", before, sum(counts), ...counts];
        line.append(make("th", format.format(time), "row"), ...cells.map((text) => make("td", text)));
        return line;
      });
    const [thead, tbody] = [make("thead", ""), make("tbody", "")];
    thead.append(head);
    tbody.append(...lines);
    find("[data-numbers]").replaceChildren(thead, tbody);
  };

  let said = "";
  return {
    draw(series, scale) {
      const { names, happened, arrived, outages } = series;
      // Only when the numbers change, so that a reader's place in it is not lost every second.
      const counted = names.map((name, index) => `${name} ${sum(arrived[index])}`).join(", ");
      const saying = JSON.stringify([
        scale,
        counted,
        [...happened, ...arrived].map((counts) => counts.filter(Boolean)),
        outages,
      ]);
      if (saying === said) return;
      said = saying;
      drawLegend(names, arrived);
      drawNumbers(series, FORMATS[scale]);
      const total = sum(arrived.map(sum));
      const arrivals = total ? `${plural(total)} arrived` : "No event arrived";
      find("[data-summary]").textContent = `${arrivals} in ${SPANS[scale]}.${awayIn(series)}`;
      find("[data-breakdown]").textContent = counted && ` By event_uid: ${counted}.`;
    },
  };
};
