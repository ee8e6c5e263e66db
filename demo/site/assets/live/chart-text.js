import { FORMATS, sum } from "./series.js";

const SPANS = { seconds: "the last minute", minutes: "the last hour" };
const plural = (count) => `${count} ${count === 1 ? "event" : "events"}`;

const make = (tag, text, scope) => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (scope) made.scope = scope;
  return made;
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

  const drawNumbers = (times, names, values, format) => {
    const head = make("tr", "");
    head.append(make("th", "Time", "col"), ...names.map((name) => make("th", name, "col")));
    const lines = times
      .map((time, index) => [time, values.map((counts) => counts[index])])
      .filter(([, counts]) => sum(counts) > 0)
      .reverse()
      .map(([time, counts]) => {
        const line = make("tr", "");
        line.append(make("th", format.format(time), "row"), ...counts.map((count) => make("td", count)));
        return line;
      });
    const [thead, tbody] = [make("thead", ""), make("tbody", "")];
    thead.append(head);
    tbody.append(...lines);
    find("[data-numbers]").replaceChildren(thead, tbody);
  };

  let said = "";
  return {
    draw({ times, names, values }, scale) {
      // Only when the numbers change, so that a reader's place in it is not lost every second.
      const counted = names.map((name, index) => `${name} ${sum(values[index])}`).join(", ");
      const saying = `${SPANS[scale]}|${counted}|${values.map((counts) => counts.filter(Boolean).join()).join("|")}`;
      if (saying === said) return;
      said = saying;
      drawLegend(names, values);
      drawNumbers(times, names, values, FORMATS[scale]);
      const total = sum(values.map(sum));
      find("[data-summary]").textContent = `${total ? plural(total) : "No events"} in ${SPANS[scale]}.`;
      find("[data-breakdown]").textContent = counted && ` By event_uid: ${counted}.`;
    },
  };
};
