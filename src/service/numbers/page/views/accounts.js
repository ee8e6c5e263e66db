import { csvButton } from "../base/csv.js";
import { link, make, makeWhole, replace } from "../base/elements.js";
import { change, number, sinceDay } from "../base/format.js";
import { hereWith, linkToAccount, readState, replaceState, toQuery } from "../base/route.js";
import { createLeftOut } from "../cards/left-out.js";
import { createLine } from "../cards/line.js";
import { createView, toldOf } from "./view.js";

const PAGE = 50;
/** Rows that are asked for at once where all are saved. */
const MANY = 1_000;
/** Milliseconds without a letter, after which a search begins. */
const PAUSE_MS = 250;

const COLUMNS = [
  { sort: "name", text: "Account" },
  { sort: "contacts", text: "Members" },
  { sort: "active_contacts", text: "Active" },
  { sort: "events", text: "Events" },
  { sort: "change", text: "Change" },
  { text: "Before and now" },
  { sort: "last_seen_on", text: "Last seen" },
];
const SHOWN = { all: "active", falling: "falling", silent: "silent" };

const chosen = ({
  sort = "events",
  order = sort === "name" ? "asc" : "desc",
  show = "all",
  search = "",
  others,
  page = "1",
}) => ({
  ...{ sort, order, show, search, others, page: Math.max(1, Number(page) || 1) },
});

const paramsOf = (state) => {
  const { page, ...rest } = chosen(state);
  return { ...rest, offset: String((page - 1) * PAGE) };
};

/** The head of a column sorts by it, and the other way round where it does so already. */
const makeHead = ({ sort, text }, state) => {
  if (sort === undefined) return make("th", { scope: "col" }, text);
  const { sort: by, order } = chosen(state);
  const isBy = sort === by;
  const first = sort === "name" ? "asc" : "desc";
  const next = isBy ? (order === "asc" ? "desc" : "asc") : first;
  const to = hereWith({ sort, order: next, page: undefined });
  return make(
    "th",
    { scope: "col", ...(isBy && { "aria-sort": order === "asc" ? "ascending" : "descending" }) },
    link(to, text),
  );
};

const makeRow = (one) => {
  const { name, unique_id, contacts, active_contacts, events, before, counts, counts_before, last_seen_on: last } = one;
  const more = name === unique_id ? [] : [make("small", {}, unique_id)];
  const cell = (value, label) => make("td.number", { "data-label": label }, value);
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, link(linkToAccount(one), name), ...more),
    cell(number(contacts), "Members"),
    cell(number(active_contacts), "Active"),
    cell(number(events), "Events"),
    make(events < before ? "td.number.down" : "td.number", { "data-label": "Change" }, change(events, before)),
    make("td.line-cell", {}, createLine(counts_before, counts)),
    make("td", { "data-label": "Last seen", title: last }, sinceDay(last)),
  );
};

const CSV = ["name", "unique_id", "contacts", "active_contacts", "events", "before", "change", "last_seen_on"];
const toCsvRow = (one) => CSV.map((column) => one[column]);

const NONE = { data: [], total: 0, others: null };

const EMPTY = {
  all: "No account has been active in this time. Events name one by identify(contact, account), or by params.account_uid.",
  falling: "No account has lost a quarter of its events or more. That is good news.",
  silent: "No account that was active in the time before is silent now.",
};

/** All accounts of a time. */
export const createAccounts = (main, ask) => {
  const search = make("input", { type: "search", name: "search", autocomplete: "off", placeholder: "Name or uid" });
  const field = make("label.search", {}, make("span.hidden", {}, "Search accounts"), search);
  const tabs = make("nav.tabs", { "aria-label": "Which accounts" });
  const table = makeWhole("Accounts");
  const leftOut = createLeftOut(ask);
  const pages = make("nav.paging", { "aria-label": "Pages of accounts" });
  const apart = make("p.note", { hidden: "" });
  /** Of all pages, and then of what stands apart. */
  const allRows = async (more = {}) => {
    const rows = [];
    for (let offset = 0; ; offset += MANY) {
      const params = { ...paramsOf(readState()), ...more, offset: String(offset), limit: String(MANY) };
      const { data, total, others } = (await ask.get(`/v2/numbers/accounts?${toQuery(readState(), params)}`)) ?? NONE;
      rows.push(...data.map(toCsvRow));
      if (offset + MANY >= total)
        return { heads: CSV, rows: others === null ? rows : [...rows, ...(await allRows({ others: "true" })).rows] };
    }
  };
  const drawApart = (state, { others }) => {
    apart.hidden = others === null && !state.others;
    const all = hereWith({ others: others === null ? undefined : "true", page: undefined });
    const text = others === null ? "The other accounts" : `${number(others.total)} more accounts`;
    const events = others === null ? "." : `, of which events alone tell, with ${number(others.events)} events.`;
    replace(apart, link(all, text), events);
  };
  const drawTabs = (state, counts) =>
    replace(
      tabs,
      ...Object.entries(SHOWN).map(([show, count]) =>
        link(
          hereWith({ show: show === "all" ? undefined : show, others: undefined, page: undefined }),
          `${count} ${number(counts[count])}`,
          {
            ...(chosen(state).show === show && { "aria-current": "page" }),
          },
        ),
      ),
    );
  const drawPages = (state, { total }) => {
    const { page } = chosen(state);
    const last = Math.max(1, Math.ceil(total / PAGE));
    const to = (at, text) => link(hereWith({ page: String(at) }), text);
    replace(
      pages,
      ...(page > 1 ? [to(page - 1, "Previous")] : []),
      make("span", {}, `${number(total)} accounts, page ${page} of ${last}`),
      ...(page < last ? [to(page + 1, "Next")] : []),
    );
  };
  const load = async (state, isNow) => {
    if (document.activeElement !== search) search.value = state.search ?? "";
    const query = `/v2/numbers/accounts?${toQuery(state, paramsOf(state))}`;
    const answer = await ask.get(query);
    if (answer === undefined || !isNow()) return undefined;
    drawTabs(state, answer);
    drawPages(state, answer);
    drawApart(state, answer);
    const rows = answer.data.map(makeRow);
    replace(
      table,
      rows.length === 0
        ? make("p.nothing", {}, state.search ? `No account matches "${state.search}".` : EMPTY[chosen(state).show])
        : make(
            "table.accounts",
            { "aria-label": "Accounts" },
            make("thead", {}, make("tr", {}, ...COLUMNS.map((column) => makeHead(column, state)))),
            make("tbody", {}, ...rows),
          ),
    );
    await leftOut.load();
    return {
      query,
      told: `Falling: a quarter fewer events than in the time before, or less still. ${toldOf(answer.counted_to, answer)}`,
    };
  };
  const view = createView(main, "Accounts", {
    load,
    parts: [
      make(
        "section.card",
        { "aria-label": "Accounts", "data-card": "accounts" },
        make(
          "div.card-head.list-head",
          {},
          tabs,
          field,
          csvButton("accounts", "Accounts", () => allRows()),
        ),
        table,
        apart,
        pages,
      ),
      leftOut.element,
    ],
  });
  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      replaceState({ search: search.value.trim(), page: undefined });
      view.show();
    }, PAUSE_MS);
  });
  return view;
};
