import { find, link, make } from "../base/elements.js";
import { against, brief, moment, number, since } from "../base/format.js";
import { FILTERS, hereWith, linkTo, linkToAccount, linkToContact, toQuery } from "../base/route.js";
import { createChartCard, createListCard, createTile, toSeries } from "../cards/card.js";
import { createLeftOut } from "../cards/left-out.js";
import { createReturning } from "../cards/returning.js";
import { createView, toldOf } from "./view.js";

/** Events are counted a minute or two after they came; later than this, many are still to be counted, as after an import. */
const BEHIND_MS = 300_000;

const empty = "Nothing in this time.";

const createTiles = () => ({
  events: createTile("events", "Events"),
  views: createTile("views", "Page views"),
  contacts: createTile("contacts", "Active contacts"),
  accounts: createTile("accounts", "Active accounts"),
  last: createTile("last", "Last event"),
  missing: createTile("missing", "Missing"),
});

const createCards = () => ({
  events: createChartCard("events", "Events by name", { stacked: true, empty, linkOf: (name) => hereWith({ name }) }),
  active: createChartCard("active", "Active contacts and accounts", { stacked: false, empty }),
  pages: createListCard("pages", "Most viewed pages", {
    ...{ head: "Path", unit: "Views", empty, linkOf: ({ key }) => hereWith({ path: key }) },
  }),
  referrers: createListCard("referrers", "Where they came from", {
    ...{ head: "Referrer", unit: "Views", linkOf: ({ key }) => hereWith({ referrer: key }) },
    empty:
      "No page view of this time tells it. The tag of the script does with data-referrer, where another site led to a page.",
  }),
  busiest: createListCard("accounts", "Accounts that do most", {
    ...{ head: "Account", unit: "Events", empty, linkOf: linkToAccount, textOf: ({ name }) => name },
  }),
  fell: createListCard("fell", "Accounts that lost most", {
    ...{ head: "Account", unit: "Events", linkOf: linkToAccount, textOf: ({ name }) => name, isOfShares: false },
    empty: "No account has done less than in the time before.",
  }),
  people: createListCard("people", "Contacts that do most", {
    ...{ head: "Contact", unit: "Events", empty, linkOf: linkToContact, textOf: ({ name }) => name },
  }),
});

const drawTiles = (tiles, numbers) => {
  const { events, pages, contacts, accounts, missing, last_event_at: last } = numbers;
  tiles.events.draw(number(events.total), against(events.total, events.before));
  tiles.views.draw(number(pages.total), against(pages.total, pages.before));
  for (const [tile, active] of [
    [tiles.contacts, contacts],
    [tiles.accounts, accounts],
  ])
    tile.draw(
      `${active.approximate ? "≈ " : ""}${number(active.total)}`,
      active.approximate ? "about: a sixteenth is counted" : against(active.total, active.before),
    );
  tiles.last.draw(last === null ? "never" : since(last), last === null ? "" : brief.format(last));
  tiles.missing.draw(
    missing.documents === 0 ? "–" : number(missing.missing),
    missing.documents === 0
      ? "no event has a stamp"
      : `of ${number(missing.events + missing.missing)} numbered since ${brief.format(missing.since)}; strangers can spoil it`,
  );
};

const drawCards = (cards, numbers) => {
  const { starts, contacts, accounts, people } = numbers;
  cards.events.draw({ starts, series: toSeries(numbers.events) });
  cards.active.draw({
    starts,
    series: [
      { label: "contacts", ...contacts, colour: "--series-0" },
      { label: "accounts", ...accounts, colour: "--series-1" },
    ],
  });
  cards.pages.draw(numbers.pages);
  cards.referrers.draw(numbers.referrers);
  // A token may be for figures alone.
  for (const name of ["busiest", "fell"]) cards[name].element.hidden = isNameless(numbers);
  if (!isNameless(numbers)) {
    cards.busiest.draw(numbers.busiest);
    cards.fell.draw({ data: numbers.fell, total: 0 });
  }
  cards.people.element.hidden = people === undefined;
  if (people) cards.people.draw(people);
};

/** Tells it of nobody? */
const isNameless = ({ busiest }) => busiest === undefined;

const toldFor = (numbers) => {
  const { events, last_event_at: last, counted_to: to, cut } = numbers;
  if (last === null)
    return "No event has come yet. On a page that should send some, the inspector says why none comes.";
  if (cut) return toldOf(to, numbers, true);
  if (Date.now() - to > BEHIND_MS)
    return `Still counting: so far the events up to ${moment.format(to)} are in the figures.`;
  return last > to && events.total === 0
    ? "The first event has come. It is counted within two minutes."
    : toldOf(to, numbers);
};

/** The first page: what there was, in figures. */
export const createNumbers = (main, ask) => {
  const [tiles, cards] = [createTiles(), createCards()];
  const leftOut = createLeftOut(ask);
  const returning = createReturning(ask, () => view.show());
  const all = make(
    "p.note",
    {},
    link(linkTo("/accounts"), "All accounts"),
    ", those that fall, and those that are silent.",
  );
  const elementsOf = (parts) => Object.values(parts).map(({ element }) => element);
  const load = async (state, isNow) => {
    const query = `/v2/numbers?${toQuery(state)}`;
    const numbers = await ask.get(query);
    if (numbers === undefined || !isNow()) return undefined;
    drawTiles(tiles, numbers);
    drawCards(cards, numbers);
    for (const one of all.querySelectorAll("a")) one.href = linkTo("/accounts");
    const isFiltered = Object.keys(FILTERS).some((name) => state[name]);
    returning.element.hidden = isFiltered;
    all.hidden = find("nav.pages").hidden = isNameless(numbers);
    await Promise.all([...(isNameless(numbers) ? [] : [leftOut.load()]), ...(isFiltered ? [] : [returning.load()])]);
    const account = state.account && numbers.busiest?.data.find(({ id }) => id === state.account)?.name;
    return { told: toldFor(numbers), query, names: { ...(account && { account }) } };
  };
  const view = createView(main, "Numbers", {
    load,
    parts: [
      make("dl.tiles-row", {}, ...elementsOf(tiles)),
      make("div.cards.two-columns", {}, ...elementsOf(cards), returning.element),
      all,
      leftOut.element,
    ],
  });
  return view;
};
