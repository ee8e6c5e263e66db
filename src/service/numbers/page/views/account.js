import { link, make, makeTable, makeWhole, replace } from "../base/elements.js";
import { against, brief, number, since } from "../base/format.js";
import { hereWith, linkTo, linkToContact, toQuery } from "../base/route.js";
import { createCalendar } from "../cards/calendar.js";
import { createChartCard, createListCard, createTile, makeCard, toSeries } from "../cards/card.js";
import { createLeftOut } from "../cards/left-out.js";
import { createPersonal } from "../cards/personal.js";
import { createTimeLine } from "../cards/time-line.js";
import { createTraits } from "../cards/traits.js";
import { createView, toldOf } from "./view.js";

const empty = "Nothing in this time.";
const LATEST = 50;

const createMembers = () => {
  const card = makeCard("members", "Members", { wide: true });
  return {
    element: card.element,
    draw({ data, total }) {
      card.hold(
        ["name", "unique_id", "events", "last_seen_at"],
        data.map(({ name, unique_id, events, last_seen_at: last }) => [
          name,
          unique_id,
          events,
          last && new Date(last).toISOString(),
        ]),
      );
      if (total === 0) return replace(card.body, make("p.nothing", {}, "No contact belongs to it."));
      const rows = data.map((one) => {
        const { name, unique_id, events, last_seen_at: last } = one;
        const more = name === unique_id ? [] : [make("small", {}, unique_id)];
        return [
          ...[make("span", {}, link(linkToContact(one), name), ...more), events],
          make("span", { title: last === null ? "" : brief.format(last) }, last === null ? "never" : since(last)),
        ];
      });
      const table = makeTable("Members", ["Contact", "Events", "Last seen"], rows);
      replace(card.body, makeWhole("Members", table));
      if (total > data.length)
        card.body.append(make("p.note", {}, `The ${data.length} seen last, of ${number(total)}.`));
    },
  };
};

/** One account: who belongs to it, and what they did. */
export const createAccount = (main, ask, id) => {
  const tiles = {
    events: createTile("events", "Events"),
    contacts: createTile("contacts", "Active members"),
    members: createTile("members", "Members"),
    last: createTile("last", "Last event"),
  };
  const [traits, calendar, members] = [createTraits(), createCalendar(), createMembers()];
  const linkOf = (name) => hereWith({ name });
  const events = createChartCard("events", "Events by name", { stacked: true, empty, linkOf });
  const pages = createListCard("pages", "Most viewed pages", {
    ...{ head: "Path", unit: "Views", empty, linkOf: ({ key }) => hereWith({ path: key }) },
  });
  const people = createListCard("people", "Members that do most", {
    ...{ head: "Contact", unit: "Events", empty, linkOf: linkToContact, textOf: ({ name }) => name },
  });
  const [personal, leftOut] = [createPersonal("account", id), createLeftOut(ask)];
  const line = createTimeLine(ask, `/v2/numbers/accounts/${id}/events`, { limit: LATEST, hasContacts: true });
  const load = async (state, isNow) => {
    const query = `/v2/numbers/accounts/${id}?${toQuery({ ...state, account: undefined })}`;
    const answer = await ask.get(query);
    if (answer === undefined || !isNow()) return undefined;
    const { figures, members: all, days, starts, name } = answer;
    const last = all.data[0]?.last_seen_at ?? null;
    tiles.events.draw(number(figures.events.total), against(figures.events.total, figures.events.before));
    tiles.contacts.draw(number(figures.contacts.total), against(figures.contacts.total, figures.contacts.before));
    tiles.members.draw(number(all.total));
    tiles.last.draw(last === null ? "never" : since(last), last === null ? "" : brief.format(last));
    traits.draw(answer);
    calendar.draw(days);
    members.draw(all);
    events.draw({ starts, series: toSeries(figures.events) });
    pages.draw(figures.pages);
    people.draw(figures.people);
    personal.draw(answer, await leftOut.load());
    if (!isNow()) return undefined;
    line.load(state);
    return { title: name, query, told: toldOf(Date.now(), answer, figures.cut) };
  };
  const back = make("p.back", {}, link(linkTo("/accounts"), "Accounts"));
  return createView(main, "Account", {
    load,
    above: [back],
    parts: [
      traits.element,
      make("dl.tiles-row.four", {}, ...Object.values(tiles).map(({ element }) => element)),
      make(
        "div.cards.two-columns",
        {},
        ...[events, pages, people, members, calendar, line, personal].map(({ element }) => element),
      ),
    ],
  });
};
