import { createPersonal } from "./admin-forms.js";
import {
  activeTile,
  createEvents,
  createMost,
  createPages,
  createTiles,
  createTraits,
  cut,
  lastOn,
  makeCard,
  noteNames,
  timeTile,
  whose,
} from "./cards.js";
import { type Column, find, link, make, makeFold, makeScroll, makeTable, replace, withCommas } from "./elements.js";
import { against, dayOf, dayOfWeek, number } from "./format.js";
import type { Ask, LeftOut, Named, OneAccount, OneContact } from "./session.js";
import { createTimeLine } from "./time-line.js";
import { hereWith, linkToAccount, linkToContact, onDay, readState, toQuery } from "./url-state.js";
import { createView, toldOf } from "./view.js";

type Member = OneAccount["members"]["data"][number];
const MEMBERS: Column<Member>[] = [
  { head: "Events of all time", of: ({ events, left_out }) => (left_out ? "left out" : events) },
  { head: "Last seen", of: (one) => one.last_seen_on, shown: (one) => lastOn(one.last_seen_on) },
];

const createMembers = () => {
  const card = makeCard("members", "People", { isWide: true });
  return {
    element: card.element,
    draw({ members: { data, total }, figures: { people, since } }: OneAccount): void {
      const isTold = people && !since && people.total === people.data.reduce((sum, { events }) => sum + events, 0);
      const { name } = readState();
      // Of those who are not told, none is known to have done nothing.
      const inThisTime = (one: Member) =>
        one.left_out ? "left out" : (people?.data.find(({ id }) => id === one.id)?.events ?? (isTold ? 0 : undefined));
      const columns = [
        ...whose("Person", linkToContact),
        { head: `${name ? cut(name) : "Events"} in this time`, of: inThisTime },
        ...MEMBERS,
      ];
      const table = card.table(columns, data);
      if (total === 0) return void card.show(make("p.nothing", "Nobody belongs to this account."));
      const more = `The latest ${data.length} of ${number(total)} people.`;
      card.show(table, ...(total > data.length ? [make("p.note", more)] : []), ...noteNames("contact", data));
    },
  };
};

/** The active days of the last 90, a column a week, darker in four steps up to the busiest one. Each leads to that day. */
const createCalendar = () => {
  const title = "Active days";
  const card = makeCard("calendar", title, { isWide: true, fileOf: () => "" });
  return {
    element: card.element,
    draw({ days: { starts, counts } }: OneAccount): void {
      const days = starts.map((start, at) => ({ start, day: dayOf(start), count: counts[at]! }));
      type Day = (typeof days)[number];
      const most = Math.max(1, ...counts);
      const linkOf = ({ day }: Day) => hereWith(onDay(day));
      // From Monday.
      const blanks = (new Date(days[0]!.day).getUTCDay() + 6) % 7;
      const squares = days.map((one) =>
        link(linkOf(one), "", {
          tabindex: "-1",
          title: `${dayOfWeek(one.start)}: ${number(one.count)} events`,
          "data-level": `${Math.ceil((4 * one.count) / most)}`,
        }),
      );
      const columns: Column<Day>[] = [
        { head: "Day", of: ({ day }) => day, shown: (one) => link(linkOf(one), dayOfWeek(one.start)) },
        { head: "Events", of: ({ count }) => count },
      ];
      card.hold(columns, days);
      const grid = Array.from({ length: blanks }, () => make("i"));
      card.show(
        make("div.calendar-box", make("div.calendar", { "aria-hidden": "true" }, ...grid, ...squares)),
        make("p.note", `Active on ${counts.filter(Boolean).length} of ${counts.length} days.`),
        makeFold(makeScroll(title, [makeTable(title, columns, days.toReversed())])),
      );
    },
  };
};

const tilesOf = ({ element }: { element: Element }, ...names: string[]) =>
  names.map((name) => find<HTMLElement>(`[data-tile=${name}]`, element));

/** Says at the top that what is listed below counts nowhere. Of whom nothing is counted no figures are shown. */
const createLeftOutNote = (id: string, counted: readonly HTMLElement[]) => {
  const element = make("p.down", { hidden: true });
  return {
    element,
    draw(left: LeftOut["data"], accounts: readonly Named[] = [], events = { total: 0, before: 0 }): void {
      const isOut = left.some((one) => one.id === id);
      const others = accounts.filter((account) => left.some((one) => one.id === account.id));
      const where = isOut ? [] : [" in ", ...withCommas(others.map((one) => link(linkToAccount(one), one.name)))];
      element.hidden = !isOut && others.length === 0;
      replace(
        element,
        "Left out of all figures",
        ...where,
        ". The events below are stored, but not counted. ",
        link("/left-out", "Count again"),
      );
      for (const one of counted) one.hidden = isOut || (others.length > 0 && events.total + events.before === 0);
    },
  };
};

/** One account: who belongs to it, and what they did. */
export const createAccount = (main: Element, ask: Ask, id: string) => {
  const tiles = createTiles<OneAccount>({
    events: ["Events", ({ figures: { events } }) => [number(events.total), against(events)]],
    contacts: ["Active people", ({ figures }) => activeTile(figures.contacts)],
    members: ["People", ({ members: { total, left_out } }) => [number(total), left_out ? `${left_out} left out` : ""]],
    last: ["Last event", ({ last_event_at }) => timeTile(last_event_at)],
  });
  const cards = [
    ...createEvents((answer: OneAccount) => answer.figures.events),
    createPages((answer: OneAccount) => answer.figures.pages),
    createMost(({ figures }: OneAccount) => figures.people),
    createCalendar(),
  ];
  const [traits, members] = [createTraits(), createMembers()];
  const figures = make("div.cards", ...cards.map(({ element }) => element));
  const note = createLeftOutNote(id, [figures, ...tilesOf(tiles, "events", "contacts")]);
  const personal = createPersonal("account", id, () => view);
  const line = createTimeLine(ask, `/v2/numbers/accounts/${id}/events`, { hasContacts: true });
  const view = createView<OneAccount>(main, "Account", {
    ask,
    address: (state) => `/v2/numbers/accounts/${id}?${toQuery({ ...state, account: undefined })}`,
    draw: async (answer, state, isNow, all) => {
      for (const one of [traits, tiles, members, ...cards]) one.draw(answer);
      const left = await all;
      note.draw(left);
      personal.draw(answer, left);
      if (!isNow()) return undefined;
      await line.load(state);
      return { title: answer.name, told: toldOf(answer.counted_to, { ...answer, since: answer.figures.since }) };
    },
    above: [make("p.back", link("/accounts", "Accounts"))],
    parts: [
      note.element,
      traits.element,
      tiles.element,
      figures,
      make("div.cards", ...[members, personal, line].map(({ element }) => element)),
    ],
  });
  return view;
};

/** One contact: who it is, and all that it did. */
export const createContact = (main: Element, ask: Ask, id: string) => {
  const tiles = createTiles<OneContact>({
    events: ["Events", ({ figures: { events } }) => [number(events.total), against(events)]],
    all: ["Events of all time", ({ events }) => [number(events)]],
    first: ["First seen", (answer) => timeTile(answer.first_seen_at)],
    last: ["Last seen", (answer) => timeTile(answer.last_seen_at)],
  });
  const cards = createEvents((answer: OneContact) => answer.figures.events);
  const [traits, accounts] = [createTraits(), make("p.memberships")];
  const figures = make("div.cards", ...cards.map(({ element }) => element));
  const note = createLeftOutNote(id, [figures, ...tilesOf(tiles, "events")]);
  const line = createTimeLine(ask, `/v2/numbers/contacts/${id}/events`);
  const personal = createPersonal("contact", id, () => view);
  const view = createView<OneContact>(main, "Person", {
    ask,
    address: ({ name, span, from, to }) => `/v2/numbers/contacts/${id}?${toQuery({ name, span, from, to })}`,
    draw: async (answer, state, isNow, all) => {
      for (const one of [traits, tiles, ...cards]) one.draw(answer);
      const { total, data } = answer.memberships;
      const links = withCommas(data.map((one) => link(linkToAccount(one), one.name)));
      const more = total > data.length ? [`, and to ${number(total - data.length)} more`] : [];
      replace(accounts, total === 0 ? "Belongs to no account." : "Belongs to ", ...links, ...more);
      const left = await all;
      note.draw(left, data, answer.figures.events);
      personal.draw(answer, left);
      if (!isNow()) return undefined;
      await line.load(state);
      return { title: answer.name, told: toldOf(answer.counted_to, answer) };
    },
    above: [make("p.back", link("/contacts", "People"))],
    parts: [
      note.element,
      traits.element,
      accounts,
      tiles.element,
      figures,
      make("div.cards", ...[personal, line].map(({ element }) => element)),
    ],
  });
  return view;
};
