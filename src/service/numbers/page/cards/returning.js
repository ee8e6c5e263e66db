import { make, makeScroll, makeTable } from "../base/elements.js";
import { share } from "../base/format.js";
import { makeCard } from "./card.js";

const LATER = 8;
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/**
 * How many come back in the weeks after their first: a table of squares.
 *
 * @param {() => void} again called where somebody else is chosen: it loads anew
 */
export const createReturning = (ask, again) => {
  const title = "Coming back";
  const card = makeCard("returning", title, {
    wide: true,
    note: "Of those first seen in a week (from Monday, UTC), how many were active in each of the eight weeks after it.",
  });
  const [table, choice] = [makeScroll(title), make("fieldset.segments", {}, make("legend.hidden", {}, "Who"))];
  const none = make("p.nothing", { hidden: "" }, "Nobody was first seen in the last twelve weeks.");
  card.body.append(choice, table, none);
  let of = "account";
  const draw = ({ data }) => {
    const heads = ["First seen", "New", ...Array.from({ length: LATER }, (_, at) => `Week ${at + 1}`)];
    const seen = data.filter(({ began }) => began > 0);
    const square = (count, began) => {
      const made = make("span.square", {}, `${count} · ${share(count, began)}`);
      made.style.setProperty("--part", String(count / began));
      return made;
    };
    const rows = seen.map(({ week, began, active }) => [
      ...[day.format(new Date(week)), began],
      ...Array.from({ length: LATER }, (_, at) => (at in active ? square(active[at], began) : "")),
    ]);
    const made = makeTable(title, heads, rows);
    made.classList.add("squares");
    table.replaceChildren(made);
    [table.hidden, none.hidden] = [seen.length === 0, seen.length > 0];
    card.hold(
      heads,
      data.map(({ week, began, active }) => [
        week,
        began,
        ...Array.from({ length: LATER }, (_, at) => active[at] ?? ""),
      ]),
    );
  };
  const load = async () => {
    const answer = await ask.get(`/v2/numbers/returning?of=${of}`);
    if (answer?.of === of) draw(answer);
  };
  for (const [value, text] of [
    ["account", "Accounts"],
    ["contact", "Contacts"],
  ]) {
    const radio = make("input", { type: "radio", name: "of", value });
    radio.checked = value === of;
    radio.addEventListener("change", () => {
      of = value;
      again();
    });
    choice.append(make("label", {}, radio, make("span", {}, text)));
  }
  return { element: card.element, load };
};
