import {
  BEFORE,
  changeOf,
  IN_PERCENT,
  lastOn,
  makeSorting,
  nameOf,
  noteNames,
  orderOf,
  personWith,
  type Sorted,
  trendOf,
  WORDS,
  whose,
} from "./cards.js";
import { link, make, makeCsvButton, makeScroll, makeTable, replace, toLines } from "./elements.js";
import { day, number, times } from "./format.js";
import type { Accounts, Ask, Contacts } from "./session.js";
import {
  filtersOf,
  hereWith,
  linkTo,
  linkToAccount,
  readState,
  replaceState,
  type State,
  toQuery,
} from "./url-state.js";
import { createView, toldOf } from "./view.js";

const PAGE = 50;
/** Rows that are asked for at once where all are saved. */
const MANY = 1_000;
/** Milliseconds without a letter, after which a search begins. */
const PAUSE_MS = 250;

type Account = Accounts["data"][number];
type Person = Contacts["data"][number];

const [WIDTH, HEIGHT] = [112, 28];
/** Two small lines over each other, the time before and this one: the figures stand beside them. */
const makeLines = ({ counts_before, counts }: Account) => {
  const most = Math.max(1, ...counts_before, ...counts);
  const line = (all: readonly number[]) => {
    const x = (at: number) => (all.length === 1 ? WIDTH / 2 : (at / (all.length - 1)) * (WIDTH - 2) + 1);
    const y = (count: number) => HEIGHT - 1 - (count / most) * (HEIGHT - 2);
    return make("polyline", { points: all.map((count, at) => `${x(at).toFixed(1)},${y(count).toFixed(1)}`).join(" ") });
  };
  return make(
    "svg.line",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    line(counts_before),
    line(counts),
  );
};

/** What differs between the two lists. */
interface List<T> {
  kind: "account" | "contact";
  title: string;
  columns: Sorted<T>[];
  /** What is said where there is none: its first words, and what may be amiss. */
  nobody: string;
  hint: string;
  placeholder: string;
}
type Answer<T> = Omit<Accounts, "data" | "others"> & { data: T[]; others?: Accounts["others"] };

/** How it goes, beside its health: that is told by days, so that who loses most of its events may be good. */
const goingOf = ({ silent, last_seen_on, new: isNew, ...one }: Account | Person): string => {
  if (isNew) return "new";
  return silent ? `silent since ${day(Date.parse(last_seen_on!), "UTC")}` : trendOf(one);
};
const healthOf = (one: Account | Person) =>
  one.left_out
    ? ""
    : make(
        "span",
        link(hereWith({ health: one.health, page: undefined }), one.health, {
          class: one.health === "bad" ? "down" : "",
        }),
        ...(one.health_source === null ? [make("small", "set by you")] : []),
        make(one.silent || one.trend === "falling" ? "small.down" : "small", goingOf(one)),
      );
const SILENT = "seen in the last 90 days, but not in the last 14";
/** Which can be shown, and what is said of none. */
const NONE: Record<string, string> = {
  all: "was active in this time.",
  new: "is new in this time.",
  rising: "does at least 25 % more than before.",
  falling: "does at least 25 % less than before. That is good news.",
  silent: `is silent: ${SILENT}.`,
  call: "is falling or silent. That is good news.",
};
const LABELS: Record<string, string> = { all: "active", call: "call these" };

const EVENTS: Sorted<Account | Person>[] = [
  { sort: "events", head: "Events", of: ({ left_out, events }) => (left_out ? "left out" : events) },
  { ...BEFORE, of: (one) => (one.left_out ? "" : BEFORE.of!(one)), shown: null },
  { sort: "change", head: "Change", shown: changeOf },
  IN_PERCENT,
];
const SEEN: Sorted<Account | Person>[] = [
  {
    sort: "last_seen_on",
    head: "Last seen",
    of: (one) => one.last_seen_on,
    shown: (one) => (one.left_out ? "" : lastOn(one.last_seen_on)),
  },
  { head: "Trend", of: (one) => (one.left_out ? "" : goingOf(one)), shown: null },
  { sort: "health", head: "Health", of: ({ left_out, health }) => (left_out ? "" : health), shown: healthOf },
];

const [COMPANY, COMPANY_UID] = whose("Account", linkToAccount) as [Sorted<Account>, Sorted<Account>];
const ACCOUNTS: List<Account> = {
  kind: "account",
  title: "Accounts",
  placeholder: "Name or uid",
  columns: [
    // On a phone, where there is no room for columns, the people stand below the name.
    {
      ...COMPANY,
      shown: (one) =>
        make(
          "span",
          { "data-below": `People ${number(one.contacts)}, active ${number(one.active_contacts)}` },
          nameOf(one, linkToAccount(one)),
        ),
    },
    COMPANY_UID,
    { sort: "contacts", head: "People", of: ({ contacts }) => contacts },
    { sort: "active_contacts", head: "Active", of: (one) => one.active_contacts },
    ...EVENTS,
    { head: "Before and now", shown: makeLines },
    ...SEEN,
  ],
  nobody: "No account",
  hint: " An event belongs to an account if your page names one: identify(contact, account).",
};

const PEOPLE: List<Person> = {
  kind: "contact",
  title: "People",
  placeholder: "Name, e-mail or uid",
  columns: [
    ...personWith<Person>(({ accounts }) => accounts),
    { head: "E-mail", of: ({ email }) => email, shown: null },
    ...EVENTS,
    ...SEEN,
  ],
  nobody: "Nobody",
  hint: "",
};

/** By what a list is sorted at first, where that is not events. */
const SORTED: Record<string, string> = { rising: "change", falling: "change", call: "change", silent: "last_seen_on" };
const chosen = ({ show = "all", ...more }: State) => ({
  ...orderOf({ ...(show === "rising" && { order: "desc" }), ...more }, SORTED[show]),
  show,
  search: more.search,
  others: more.others,
  page: Math.max(1, Number(more.page) || 1),
});

const UNFIT = "None of them fits what is chosen above.";
const isOfAll = (state: State): boolean => !state.search && !state.others && filtersOf(state).length === 0;

const createList = <T extends Account | Person>(main: Element, ask: Ask, of: List<T>) => {
  const { title, kind } = of;
  const path = `${kind}s`;
  const addressOf = (state: State, more: State = {}): string => {
    const { page, ...rest } = chosen(state);
    return `/v2/numbers/${path}?${toQuery(state, { ...rest, offset: `${(page - 1) * PAGE}`, ...more })}`;
  };
  let timer: ReturnType<typeof setTimeout>;
  const input = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      replaceState({ search: search.value.trim(), page: undefined });
      view.show();
    }, PAUSE_MS);
  };
  const search = make("input", {
    type: "search",
    name: "search",
    autocomplete: "off",
    placeholder: of.placeholder,
    input,
  });
  const [what, one] = [title.toLowerCase(), WORDS[kind]];
  const field = make("label.search", make("span.hidden", `Search ${what}`), search);
  const tabs = make("nav.tabs", { "aria-label": `Which ${what}` });
  const table = makeScroll(title, [], "div.scroll.whole");
  const pages = make("nav.paging", { "aria-label": `Pages of ${what}` });
  const [called, apart, rules] = [make("p.note"), make("p.note"), make("p.note")];
  /** Of all pages, and then of what stands apart. */
  const allRows = async (more: State = {}): Promise<T[]> => {
    const rows: T[] = [];
    for (let offset = 0; ; offset += MANY) {
      const address = addressOf(readState(), { ...more, offset: `${offset}`, limit: `${MANY}` });
      const answer = await ask.get<Answer<T>>(address);
      rows.push(...(answer?.data ?? []));
      if (answer === undefined) return rows;
      if (offset + MANY >= answer.total)
        return answer.others ? [...rows, ...(await allRows({ others: "true" }))] : rows;
    }
  };
  const draw = (answer: Answer<T>, state: State): void => {
    const { page, show } = chosen(state);
    const { total, data, others = null } = answer;
    if (document.activeElement !== search) search.value = state.search ?? "";
    const tab = (name: string) => {
      const isAll = name === "all";
      const anew = { search: undefined, others: undefined, page: undefined, sort: undefined, order: undefined };
      const to = hereWith({ show: isAll ? undefined : name, ...anew });
      // They count all. A search looks at all.
      const amount = isOfAll(state) ? ` ${number(answer[isAll ? "active" : (name as "call")])}` : "";
      return link(to, (LABELS[name] ?? name) + amount, { "aria-current": show === name && !state.search && "page" });
    };
    replace(tabs, ...["all", "new", "rising", "call"].map(tab));
    called.hidden = !/^(call|falling|silent)$/.test(show) || Boolean(state.search);
    replace(
      called,
      "All that are ",
      tab("falling"),
      ", ",
      tab("silent"),
      " (who is both counts once), who lost most events first, then who was seen last. Falling counts events and health counts active days, so who is good may be falling, too.",
    );
    const by = (health: string) => link(hereWith({ health, search: undefined, page: undefined }), health);
    replace(
      rules,
      "Health, where you set none: ",
      by("good"),
      " is active on more than 4 of the last 14 days, ",
      by("average"),
      " on 1 to 4, ",
      by("bad"),
      " on none. Rising, falling: at least 25 % and two events more, or fewer, than in the time before. ",
      `Silent: ${SILENT}, whatever time is shown. uid: the key under which your product stores them.`,
    );
    const last = Math.max(1, Math.ceil(total / PAGE));
    const to = (at: number, text: string) => link(hereWith({ page: `${at}` }), text);
    replace(
      pages,
      ...(page > 1 ? [to(page - 1, "Previous")] : []),
      make("span", `${number(total)} ${total === 1 ? one : what}, page ${page} of ${last}`),
      ...(page < last ? [to(page + 1, "Next")] : []),
    );
    apart.hidden = others === null && !state.others;
    const all = hereWith({ others: others === null ? undefined : "true", page: undefined });
    replace(
      apart,
      link(all, others === null ? "The other accounts" : `${number(others.total)} more accounts`),
      others === null ? "." : ` that are known only from their ${number(others.events)} events.`,
    );
    const other = kind === "account" ? PEOPLE : ACCOUNTS;
    const there = linkTo(`/${other.kind}s`, { search: state.search });
    const none = state.search
      ? [`No ${one} matches "${state.search}". `, link(there, `Search ${other.title.toLowerCase()}`)]
      : [
          filtersOf(state).length > 0
            ? UNFIT
            : `${of.nobody} ${NONE[show] ?? NONE.all}${show === "all" ? of.hint : ""}`,
        ];
    const list = makeTable(title, of.columns, data, {
      name: `table.listed.${path}`,
      makeHead: makeSorting(chosen(state)),
    });
    replace(table, data.length === 0 ? make("p.nothing", ...none) : list, ...noteNames(kind, data));
  };
  const csv = makeCsvButton(
    () => path + times.days,
    title,
    async () => toLines(of.columns, await allRows()),
  );
  const view = createView<Answer<T>>(main, title, {
    ask,
    address: addressOf,
    draw: async (answer, state) => {
      draw(answer, state);
      return { told: toldOf(answer.counted_to, answer) };
    },
    parts: [
      make(
        "section.card",
        { "aria-label": title, "data-card": path },
        make("div.card-head.list-head", tabs, field, csv),
        called,
        table,
        apart,
        pages,
        rules,
      ),
    ],
  });
  return view;
};

/** All accounts of a time. */
export const createAccounts = (main: Element, ask: Ask) => createList(main, ask, ACCOUNTS);
/** All people of a time. */
export const createPeople = (main: Element, ask: Ask) => createList(main, ask, PEOPLE);
