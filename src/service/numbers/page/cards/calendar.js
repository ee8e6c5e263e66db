import { link, make, makeScroll, makeTable, replace } from "../base/elements.js";
import { dayOfWeek, number } from "../base/format.js";
import { dayOf, hereWith } from "../base/route.js";
import { makeCard } from "./card.js";

/** How dark a day is, in four steps of the busiest one. */
const levelOf = (count, most) => (count === 0 ? 0 : Math.ceil((4 * count) / most));
/** The place of a day in its week, from Monday. */
const placeOf = (start) => (new Date(start).getDay() + 6) % 7;

/** The active days of the last 90, a column a week. Each leads to that day. */
export const createCalendar = () => {
  const title = "Active days";
  const card = makeCard("calendar", title, { wide: true });
  return {
    element: card.element,
    draw({ starts, counts }) {
      const most = Math.max(1, ...counts);
      const linkOf = (start) => hereWith({ from: dayOf(start), to: dayOf(start), span: undefined });
      const label = (start, count) => `${dayOfWeek.format(start)}: ${number(count)} events`;
      const blanks = Array.from({ length: placeOf(starts[0]) }, () => make("i"));
      const days = starts.map((start, at) => {
        const text = label(start, counts[at]);
        const day = link(linkOf(start), "", { tabindex: "-1", title: text });
        day.dataset.level = levelOf(counts[at], most);
        return day;
      });
      const active = counts.filter(Boolean).length;
      const grid = make("div.calendar", { "aria-hidden": "true" }, ...blanks, ...days);
      const rows = starts.map((start, at) => [link(linkOf(start), dayOfWeek.format(start)), counts[at]]);
      const table = makeTable(title, ["Day", "Events"], rows.reverse());
      replace(
        card.body,
        make("div.calendar-box", {}, grid),
        make("p.note", {}, `Active on ${active} of ${counts.length} days.`),
        make("details", {}, make("summary", {}, "As a table"), makeScroll(title, table)),
      );
      card.hold(
        ["Day", "Events"],
        starts.map((start, at) => [dayOf(start), counts[at]]),
      );
    },
  };
};
