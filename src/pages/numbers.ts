import { createZone } from "./admin-forms.js";
import {
  activeTile,
  type Counted,
  createChartCard,
  createEvents,
  createListCard,
  createMost,
  createPages,
  createTiles,
  makeCard,
  noteNames,
  type Tile,
  timeTile,
} from "./cards.js";
import { type Column, check, find, link, make, makeChoice, makeScroll, makeTable, replace } from "./elements.js";
import { against, date, day, moment, number, share, sinceDay } from "./format.js";
import type { Ask, Contacts, Numbers, Returning } from "./session.js";
import { FILTERS, hereWith, linkTo, linkToAccount, linkToContact, toQuery } from "./url-state.js";
import { createView, toldOf } from "./view.js";

/** Events are counted a minute or two after they came; later than this, many are still to be counted, as after an import. */
const BEHIND_MS = 300_000;
/** Weeks after their first one that are looked at. */
const LATER = 8;

/** With those who did not do a name. */
type Shown = Numbers & { idle?: Contacts | undefined };

const toIdle = ({ idle }: Shown) => idle?.data.map((one) => ({ ...one, key: one.unique_id }));
/** To an account with all that it did. */
const linkToAll = ({ id }: { id: string }) => linkTo(`/accounts/${id}`);
/** A list of which the time before says as much as this one. */
const createBefore = <T extends Counted>(
  [name, title, head, unit = "Events"]: readonly [name: string, title: string, head: string, unit?: string],
  of: (answer: Shown) => readonly T[] | undefined,
  linkOf: (one: T) => string,
) => {
  const told = (answer: Shown) => ({ data: of(answer) ?? [], total: 0 });
  return createListCard(name, title, [head, unit], told, { linkOf, whole: "" });
};

const createCards = () => {
  const [chart, names] = createEvents(({ events }: Numbers) => events);
  const active = createChartCard("active", "Active people and accounts", ({ starts, contacts, accounts }: Numbers) => ({
    starts,
    series: [
      { label: "people", ...contacts, colour: "--series-0" },
      { label: "accounts", ...accounts, colour: "--series-1" },
    ],
  }));
  return [
    chart!,
    active,
    names!,
    createPages(({ pages }: Numbers) => pages),
    createListCard("referrers", "Where they came from", ["Referrer", "Views"], ({ referrers }: Numbers) => referrers, {
      linkOf: ({ key }) => hereWith({ referrer: key }),
      whole: "views that came from another site",
    }),
    // A token may be for figures alone.
    createListCard("accounts", "Accounts that do most", ["Account", "Events"], ({ busiest }: Numbers) => busiest, {
      linkOf: (one) => linkToAccount(one),
      whole: "events that name an account",
    }),
    createMost(({ people }: Shown) => people),
    createBefore(["fell", "Accounts that lost most", "Account"], ({ fell }: Shown) => fell, linkToAccount),
    createBefore(["rose", "Accounts that gained most", "Account"], ({ rose }: Shown) => rose, linkToAccount),
    createBefore(
      ["people-fell", "People who do it less than before", "Person"],
      ({ people }: Shown) => people?.fell,
      linkToContact,
    ),
    createBefore(
      ["without", "Accounts that did not do it", "Account", "Other events"],
      ({ without }: Shown) => without?.data,
      linkToAll,
    ),
    createBefore(["idle", "People who did not do it", "Person", "Other events"], toIdle, linkToContact),
  ];
};

const missingTile = ({ documents, events, missing, since: first }: Numbers["missing"]): Tile =>
  documents === 0 || first === null
    ? ["–", "not known, as these events carry no number: they were imported, or your pages have stamp: false"]
    : [number(missing), `of ${number(events + missing)} that carry a number, since ${moment(first)}`];
/** Of some events that of this time; of all whatever time is shown, as it says whether any come. */
const lastTile = ({ last, last_event_at, events }: Numbers): Tile => {
  const days = [...events.data, ...events.more].flatMap(({ last_on }) => last_on ?? []);
  const on = days.sort().at(-1);
  if (last === null) return on === undefined ? ["–", "none in this time"] : [sinceDay(on), date(Date.parse(on), "UTC")];
  const [text, at] = timeTile(last ?? last_event_at);
  return [text, at && `the last ${last === undefined ? "of all events" : "of this time"} came on ${at}`];
};
const createNumberTiles = () =>
  createTiles<Shown>({
    events: ["Events", ({ events }) => [number(events.total), against(events)]],
    views: ["Page views", ({ pages }) => [number(pages.total), against(pages)]],
    contacts: ["Active people", ({ contacts, idle }) => activeTile(contacts, idle?.active)],
    accounts: ["Active accounts", ({ accounts, without }) => activeTile(accounts, without?.of)],
    last: ["Last received", lastTile],
    missing: ["Lost on the way", ({ missing }) => missingTile(missing)],
  });

const toldFor = (numbers: Numbers): string => {
  const { events, last_event_at: last, counted_to: to } = numbers;
  if (last === null) return "No event has come yet.";
  if (Date.now() - to > BEHIND_MS) return `Still counting: the figures have the events up to ${moment(to)} so far.`;
  return last > to && events.total === 0
    ? "The first event has come. It is counted within two minutes."
    : toldOf(to, numbers);
};

/** How many come back in the weeks after their first: a table of squares. @param again loads it anew */
const createReturning = (ask: Ask, again: () => void) => {
  const title = "Coming back";
  const card = makeCard("returning", title, {
    isWide: true,
    fileOf: () => "",
    note: "Each row is a week, from Monday: how many were seen for the first time, and how many of them came back one to eight weeks later.",
  });
  let of = "account";
  const choice = makeChoice("Who", "of", { account: "Accounts", contact: "People" }, (chosen) => {
    of = chosen;
    again();
  });
  check(choice, of);
  const shown = make("div");
  card.show(choice, shown);
  type Week = Returning["data"][number];
  const square = ({ active, began }: Week, at: number) =>
    active[at] === undefined
      ? ""
      : make("span.square", { "--part": `${active[at] / began}` }, `${active[at]} · ${share(active[at], began)}`);
  const columns: Column<Week>[] = [
    { head: "First seen", of: ({ week }) => week, shown: ({ week }) => day(Date.parse(week), "UTC") },
    { head: "New", of: ({ began }) => began },
    ...Array.from({ length: LATER }, (_, at) => ({
      head: `Week ${at + 1}`,
      of: ({ active }: Week) => active[at],
      shown: (one: Week) => square(one, at),
    })),
  ];
  return {
    element: card.element,
    async load(): Promise<void> {
      const answer = await ask.get<Returning>(`/v2/numbers/returning?of=${of}`);
      if (answer?.of !== of) return;
      card.hold(columns, answer.data);
      const seen = answer.data.filter(({ began }) => began > 0);
      const table = makeTable(title, columns, seen, { name: "table.squares" });
      const none = make("p.nothing", "Nobody was first seen in the last twelve weeks.");
      replace(shown, seen.length === 0 ? none : makeScroll(title, [table]));
    },
  };
};

/** How the first event comes. */
const createFirst = () => {
  const { origin } = location;
  const lines = [
    `<script async src="${origin}/numbers/lib.js" data-api-token="YOUR_API_TOKEN"`,
    `  data-track-url="${origin}" data-referrer`,
    '  data-contact-uid="PERSON" data-account-uid="COMPANY"></script>',
  ];
  const term = (name: string, ...text: string[]) => make("div", make("dt", make("code", name)), make("dd", ...text));
  return make(
    "section.card.first",
    { "aria-labelledby": "first-title", "data-card": "first", hidden: true },
    make("h2", { id: "first-title" }, "Paste this tag into your pages"),
    make("pre", { tabindex: "0", "aria-label": "The tag" }, lines.join("\n")),
    make(
      "dl",
      term(
        "YOUR_API_TOKEN",
        "is the API token of this workspace. npm start prints it, and so does setup on a server. To make another one: ",
        "tracklet-service token create website --kind api",
      ),
      term(
        "PERSON",
        "is the key under which your product stores the person who is logged in. Without it nothing is sent.",
      ),
      term("COMPANY", "is the key of the company (or other customer) of this person. Leave it out if there is none."),
    ),
    make("p.note", "The first event appears under Live at once, and on this page within two minutes."),
    make("p.note", "If no event comes, the inspector tells you why. Its link is at the foot of this page."),
  );
};

/** The first page: what there was, in figures. */
export const createNumbers = (main: Element, ask: Ask) => {
  const [tiles, cards] = [createNumberTiles(), createCards()];
  const zone = createZone(() => view.show());
  const returning = createReturning(ask, () => view.show());
  const [all, without, first] = [make("div.note"), make("p.note"), createFirst()];
  const figures = make("div.cards", ...cards.map(({ element }) => element), returning.element);
  const view = createView<Numbers>(main, "Numbers", {
    ask,
    address: (state) => `/v2/numbers?${toQuery(state)}`,
    hasNames: ({ busiest }) => busiest !== undefined,
    draw: async (numbers, state, isNow) => {
      const query = toQuery({ ...state, name: undefined, without: state.name });
      const idle = numbers.without && (await ask.get<Contacts>(`/v2/numbers/contacts?${query}`));
      if (!isNow()) return undefined;
      const shown: Shown = { ...numbers, idle };
      for (const one of [tiles, ...cards]) one.draw(shown);
      const { last_event_at: last, events, busiest, without: accounts } = numbers;
      const others = (path: string, { total }: { total: number }, what: string) =>
        link(linkTo(path, { without: state.name }), `${number(total)} ${what}`);
      without.hidden = !accounts || !idle;
      if (accounts && idle)
        replace(
          without,
          "Active, but did not do this: ",
          others("/accounts", accounts, "accounts"),
          ", ",
          others("/contacts", idle, "people"),
          ".",
        );
      replace(
        all,
        link(linkTo("/accounts"), "All accounts"),
        ", and ",
        link(linkTo("/accounts", { show: "call" }), "those to call"),
        ".",
        ...noteNames("account", busiest?.data.map(({ key, name }) => ({ unique_id: key, name })) ?? []),
      );
      first.hidden = last !== null || events.total + events.before > 0;
      tiles.element.hidden = figures.hidden = !first.hidden;
      zone.draw();
      const isFiltered = Object.keys(FILTERS).some((name) => state[name]);
      // Both tell of all.
      returning.element.hidden = find("[data-tile=missing]", tiles.element).hidden = isFiltered;
      find("[data-tile=views]", tiles.element).hidden =
        state.name !== undefined && numbers.pages.total + numbers.pages.before === 0;
      // It tells of nobody.
      const isNameless = numbers.busiest === undefined;
      find("nav.pages").hidden = isNameless;
      all.hidden = isNameless || !first.hidden;
      if (!isFiltered) await returning.load();
      const account = numbers.busiest?.data.find(({ id }) => id === state.account)?.name;
      return { told: toldFor(numbers), names: { account } };
    },
    parts: [first, tiles.element, without, figures, all, zone.element],
  });
  return view;
};
