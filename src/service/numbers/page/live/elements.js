import { make } from "../base/elements.js";

const radio = (value, text, isChecked) => {
  const input = make("input", { type: "radio", name: "scale", value });
  input.checked = isChecked;
  return make("label", {}, input, make("span", {}, text));
};

/** The elements of the live view. */
export const makeLive = () =>
  make(
    "div.live-view",
    {},
    make(
      "div.live-head",
      {},
      make("h1", {}, "Live events"),
      make("p.state", { role: "status", "data-state": "connecting" }, "Connecting"),
      make("button", { type: "button", "data-action": "pause", "aria-pressed": "false" }, "Pause"),
    ),
    make(
      "section.card.chart",
      { "aria-labelledby": "chart-title" },
      make(
        "div.chart-head",
        {},
        make("h2", { id: "chart-title" }, "Events over time"),
        make(
          "fieldset.segments",
          {},
          make("legend.hidden", {}, "Time shown"),
          radio("seconds", "Last minute", true),
          radio("minutes", "Last hour", false),
        ),
      ),
      make(
        "figure",
        {},
        make(
          "div.canvas",
          {},
          make("canvas", {
            ...{ role: "img", "data-live": "", "aria-labelledby": "chart-title" },
            "aria-describedby": "chart-summary",
          }),
        ),
        make("ul.legend", { "data-legend": "", "aria-label": "Events by event_uid" }),
        make(
          "figcaption",
          { id: "chart-summary" },
          make("span", { "data-summary": "" }),
          make("span.hidden", { "data-breakdown": "" }),
        ),
      ),
      make(
        "details",
        {},
        make("summary", {}, "The chart as a table"),
        make("div.scroll", {}, make("table.numbers", { "data-numbers": "" })),
      ),
    ),
    make(
      "section.card",
      { "aria-labelledby": "rows-title" },
      make("h2", { id: "rows-title" }, "Latest arrivals"),
      make(
        "table.rows",
        { "aria-labelledby": "rows-title" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ...["Happened", "Arrived", "Contact", "Account", "Event", "Params"].map((head) =>
              make("th", { scope: "col" }, head),
            ),
          ),
        ),
        make("tbody", { "data-rows": "" }),
      ),
      make("p.note", { "data-wait": "" }, "The service does not answer yet."),
      make("p.note.empty", { "data-empty": "", hidden: "" }, "Nothing has arrived yet."),
    ),
  );
