import { hereWith, linkToAccount, readState, replaceState, type State, toQuery } from "./address.js";
import type { Accounts, Ask } from "./ask.js";
import { changeOf, createLeftOut, howNamed, isNameless, nameOf } from "./cards.js";
import { type Column, link, make, makeCsvButton, makeScroll, makeTable, replace, toLines } from "./elements.js";
import { number, sinceDay } from "./format.js";
import { createView, toldOf } from "./view.js";

const PAGE = 50;
/** Rows that are asked for at once where all are saved. */
const MANY = 1_000;
/** Milliseconds without a letter, after which a search begins. */
const PAUSE_MS = 250;

type Account = Accounts["data"][number];

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

/** What is shown: a column with `sort` is sorted by. */
const COLUMNS: (Column<Account> & { sort?: string })[] = [
  { sort: "name", head: "Account", shown: (one) => nameOf(one, linkToAccount(one)) },
  { sort: "contacts", head: "Members", shown: ({ contacts }) => contacts },
  { sort: "active_contacts", head: "Active", shown: (one) => one.active_contacts },
  { sort: "events", head: "Events", shown: ({ events }) => events },
  { sort: "change", head: "Change", shown: changeOf },
  { head: "Before and now", shown: makeLines },
  {
    ...{ sort: "last_seen_on", head: "Last seen" },
    shown: ({ last_seen_on: on }) => make("span", { title: on }, sinceDay(on)),
  },
];
const IN_FILE = [
  "name",
  "unique_id",
  "contacts",
  "active_contacts",
  "events",
  "before",
  "change",
  "last_seen_on",
] as const;
const FILE: Column<Account>[] = IN_FILE.map((head) => ({ head, of: (one) => one[head] }));

const SHOWN = { all: "active", falling: "falling", silent: "silent" } as const;
const EMPTY: Record<string, string> = {
  all: "No account has been active in this time. Events name one by identify(contact, account), or by params.account_uid.",
  falling: "No account has lost a quarter of its events or more. That is good news.",
  silent: "No account that was active in the time before is silent now.",
};

const firstOrder = (sort: string) => (sort === "name" ? "asc" : "desc");
const chosen = ({ sort = "events", order = firstOrder(sort), show = "all", search, others, page }: State) => ({
  ...{ sort, order, show, search, others, page: Math.max(1, Number(page) || 1) },
});
const addressOf = (state: State, more: State = {}): string => {
  const { page, ...rest } = chosen(state);
  return `/v2/numbers/accounts?${toQuery(state, { ...rest, offset: `${(page - 1) * PAGE}`, ...more })}`;
};

/** The head of a column sorts by it, and the other way round where it does so already. */
const makeHead = ({ sort, head }: (typeof COLUMNS)[number]) => {
  if (sort === undefined) return make("th", { scope: "col" }, head);
  const { sort: by, order } = chosen(readState());
  const isBy = sort === by;
  const next = isBy ? (order === "asc" ? "desc" : "asc") : firstOrder(sort);
  const sorted = isBy ? (order === "asc" ? "ascending" : "descending") : undefined;
  return make(
    "th",
    { scope: "col", "aria-sort": sorted },
    link(hereWith({ sort, order: next, page: undefined }), head),
  );
};

/** All accounts of a time. */
export const createAccounts = (main: Element, ask: Ask) => {
  let timer: ReturnType<typeof setTimeout>;
  const input = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      replaceState({ search: search.value.trim(), page: undefined });
      view.show();
    }, PAUSE_MS);
  };
  const search = make("input", {
    ...{ type: "search", name: "search", autocomplete: "off", placeholder: "Name or uid", input },
  });
  const field = make("label.search", make("span.hidden", "Search accounts"), search);
  const tabs = make("nav.tabs", { "aria-label": "Which accounts" });
  const table = makeScroll("Accounts", [], "div.scroll.whole");
  const pages = make("nav.paging", { "aria-label": "Pages of accounts" });
  const apart = make("p.note");
  const nameless = make("p.note", { hidden: true }, ...howNamed("account"));
  const leftOut = createLeftOut(ask);
  /** Of all pages, and then of what stands apart. */
  const allRows = async (more: State = {}): Promise<Account[]> => {
    const rows: Account[] = [];
    for (let offset = 0; ; offset += MANY) {
      const address = addressOf(readState(), { ...more, offset: `${offset}`, limit: `${MANY}` });
      const answer = await ask.get<Accounts>(address);
      rows.push(...(answer?.data ?? []));
      if (answer === undefined) return rows;
      if (offset + MANY >= answer.total)
        return answer.others === null ? rows : [...rows, ...(await allRows({ others: "true" }))];
    }
  };
  const draw = (answer: Accounts, state: State): void => {
    const { page, show } = chosen(state);
    const { total, others, data } = answer;
    if (document.activeElement !== search) search.value = state.search ?? "";
    const tab = ([name, count]: [string, "active" | "falling" | "silent"]) => {
      const to = hereWith({ show: name === "all" ? undefined : name, others: undefined, page: undefined });
      return link(to, `${count} ${number(answer[count])}`, { "aria-current": show === name && "page" });
    };
    replace(tabs, ...Object.entries(SHOWN).map(tab));
    const last = Math.max(1, Math.ceil(total / PAGE));
    const to = (at: number, text: string) => link(hereWith({ page: `${at}` }), text);
    replace(
      pages,
      ...(page > 1 ? [to(page - 1, "Previous")] : []),
      make("span", `${number(total)} accounts, page ${page} of ${last}`),
      ...(page < last ? [to(page + 1, "Next")] : []),
    );
    apart.hidden = others === null && !state.others;
    const all = hereWith({ others: others === null ? undefined : "true", page: undefined });
    replace(
      apart,
      link(all, others === null ? "The other accounts" : `${number(others.total)} more accounts`),
      others === null ? "." : `, of which events alone tell, with ${number(others.events)} events.`,
    );
    const none = state.search ? `No account matches "${state.search}".` : EMPTY[show]!;
    const list = makeTable("Accounts", COLUMNS, data, makeHead);
    list.classList.add("accounts");
    replace(table, data.length === 0 ? make("p.nothing", none) : list);
    nameless.hidden = !data.some(isNameless);
  };
  const csv = makeCsvButton("accounts", "Accounts", async () => toLines(FILE, await allRows()));
  const view = createView<Accounts>(main, "Accounts", {
    ask,
    address: addressOf,
    draw: async (answer, state) => {
      draw(answer, state);
      await leftOut.load();
      const falling = "Falling: a quarter fewer events than in the time before, or less still.";
      return { told: `${falling} ${toldOf(answer.counted_to, answer)}` };
    },
    parts: [
      make(
        "section.card",
        { "aria-label": "Accounts", "data-card": "accounts" },
        make("div.card-head.list-head", tabs, field, csv),
        ...[table, apart, nameless, pages],
      ),
      leftOut.element,
    ],
  });
  return view;
};
