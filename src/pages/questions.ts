import { changeOf, cut, IN_PERCENT, makeCard, makeParams, nameOf, noteNames, whose, withBar } from "./cards.js";
import {
  breakable,
  type Column,
  type Content,
  fill,
  link,
  make,
  makeCsvButton,
  makeForm,
  makeScroll,
  makeTable,
  replace,
  toLines,
  withCommas,
} from "./elements.js";
import { against, date, dayOf, exactShare, moment, number, share, stampOf, stepFormat, times } from "./format.js";
import type { Answer, Ask, Named, Questions, Steps } from "./session.js";
import { go, linkTo, linkToAccount, linkToContact, only, readState, type State, TIME, toQuery } from "./url-state.js";
import { createView, toldOf } from "./view.js";
import { createOffer, findOne, OFFERED } from "./who.js";

/* Questions that want to be told something first: the steps that people take, and any other. */

const STEPS = ["first", "second", "third", "fourth", "fifth"];
const ASKED = [...STEPS, "within"];

type Step = Steps["data"][number];
type Taker = Step["stopped"][number] & { last: string };
const WHO = whose("Person", linkToContact) as Column<Taker>[];
const ACCOUNT: Column<Taker>[] = [
  {
    head: "Account",
    of: ({ account }) => account?.name,
    shown: ({ account }) => (account ? link(linkToAccount(account), account.name) : ""),
  },
  { head: "Account uid", of: ({ account }) => account?.unique_id, shown: null },
];
/** When somebody took the step at this place. */
const timeOf = (head: string, at: number): Column<Taker> => ({
  head,
  of: ({ times }) => times[at] && stampOf(times[at]),
  shown: ({ times }) => (times[at] ? moment(times[at]) : ""),
});
const STOPPED: Column<Taker>[] = [
  ...WHO,
  ...ACCOUNT,
  { head: "Last step", of: ({ last }) => last },
  {
    head: "Taken",
    of: ({ times }) => stampOf(times.at(-1)!),
    shown: ({ times, open_until: until }) =>
      make("span", moment(times.at(-1)!), ...(until ? [make("small", `may go on until ${moment(until)}`)] : [])),
  },
  { head: "May go on until", of: ({ open_until: until }) => until && stampOf(until), shown: null },
];

/** How many take some steps one after the other, where they stop, and who. */
export const createSteps = (main: Element, ask: Ask) => {
  const names = make("datalist", { id: "names" });
  const [step, wanted] = [
    { list: "names", required: false },
    { list: "names", required: true },
  ];
  const form = makeForm(
    "form.fields",
    {
      first: ["First", wanted],
      second: ["then", wanted],
      third: ["then", step],
      fourth: ["then", step],
      fifth: ["then", step],
      within: ["within how many days", { inputmode: "numeric", pattern: "[1-9][0-9]{0,2}", required: true }],
    },
    "Show steps",
    ({ within, ...given }) => {
      const taken = Object.values(given).filter(Boolean);
      go({ within, ...Object.fromEntries(STEPS.map((name, at) => [name, taken[at]])) });
    },
  );
  const refill = () => fill(form, { within: "7", ...only(ASKED, readState()) });
  // At once: the answer may come while something is typed.
  refill();
  const [steps, finished, stopped] = [
    makeCard("steps", "Steps", {
      isWide: true,
      note: "Counts who did each step after the step before, all within so many days of a start in this time. Who starts several times counts once, by the start that leads furthest. Share: of those who took the first step, and of those who took the step before.",
    }),
    makeCard("finished", "Who took all steps", { isWide: true }),
    makeCard("stopped", "Who stops where", { isWide: true }),
  ];
  const showList = (
    { element, hold, show }: typeof stopped,
    columns: readonly Column<Taker>[],
    who: readonly Taker[],
    isCut: boolean,
  ) => {
    element.hidden = who.length === 0;
    hold(columns, who);
    const title = element.querySelector("h2")!.textContent!;
    show(
      makeScroll(title, [makeTable(title, columns, who, { name: "table.texts" })], "div.scroll.whole"),
      ...(isCut ? [make("p.note", "The latest 50 of each step.")] : []),
      ...noteNames("contact", who),
    );
  };
  const draw = (answer: readonly Step[], names: ReadonlySet<string>) => {
    const all = answer[0]?.contacts ?? 0;
    const data = answer.map((one, at) => ({
      ...one,
      before: answer[at - 1]?.contacts ?? one.contacts,
      isUnknown: one.contacts === 0 && !names.has(one.event_uid),
      stop: one.contacts - (answer[at + 1]?.contacts ?? one.contacts),
    }));
    type Row = (typeof data)[number];
    const toShare = (head: string, whole: (one: Row) => number): Column<Row> => ({
      head,
      of: (one) => exactShare(one.contacts, whole(one)),
      shown: (one) => share(one.contacts, whole(one)),
    });
    const figures: Column<Row>[] = [
      {
        head: "Step",
        of: ({ event_uid }) => event_uid,
        shown: ({ event_uid, contacts, isUnknown }) =>
          make(
            "span",
            withBar(make("span", ...breakable(event_uid)), contacts / Math.max(1, all)),
            ...(isUnknown ? [make("small.down", "no event of this time has this name")] : []),
          ),
      },
      {
        head: "People",
        of: ({ contacts }) => contacts,
        // On a phone, where there is no room for another column.
        shown: ({ contacts, accounts }) =>
          make("span", { "data-below": `in ${number(accounts)} accounts` }, number(contacts)),
      },
      toShare("Share", () => all),
      toShare("Of step before", ({ before }) => before),
      {
        head: "Stop here",
        of: ({ stop }) => stop,
        shown: ({ stop, open }) =>
          open > 0 ? make("span", number(stop), make("small", `${number(open)} may go on`)) : stop,
      },
      { head: "May go on", of: ({ open }) => open, shown: null },
      { head: "Accounts", of: ({ accounts }) => accounts },
    ];
    steps.hold(figures, data);
    steps.show(makeTable("Steps", figures, data, { name: "table.list.steps" }));
    const who = data.map(({ event_uid: last, stopped: some }) => some.map((one) => ({ ...one, last })));
    const isCut = ({ contacts }: Row, at: number) => contacts - (data[at + 1]?.contacts ?? 0) > who[at]!.length;
    const columns = [...WHO, ...ACCOUNT, ...data.map(({ event_uid }, at) => timeOf(event_uid, at))];
    showList(finished, columns, who.at(-1)!, isCut(data.at(-1)!, data.length - 1));
    showList(stopped, STOPPED, who.slice(0, -1).flat(), data.slice(0, -1).some(isCut));
  };
  const cards = make("div.cards", { hidden: true }, ...[steps, finished, stopped].map(({ element }) => element));
  const namesOf = (state: State) => `/v2/numbers/questions/keys?${toQuery(state, { most: "1000", series: "0" })}`;
  return createView<Steps | Answer>(main, "Steps", {
    ask,
    address: (state) =>
      state.first && state.second ? `/v2/numbers/steps?${toQuery(state, only(ASKED, state))}` : namesOf(state),
    draw: async (answer, state, isNow) => {
      refill();
      const known = answer.object === "numbers.answer" ? answer : await ask.get<Answer>(namesOf(state));
      if (!known || !isNow()) return undefined;
      const all = new Set(known.data.map(({ key }) => String(key)));
      replace(names, ...[...all].map((value) => make("option", { value })));
      cards.hidden = answer.object === "numbers.answer";
      if (answer.object === "numbers.answer")
        return { told: "Name two to five events, in the order in which they are done." };
      draw(answer.data, all);
      const latest = "Of a name that came more often, the latest 200,000 events were looked at. ";
      return { told: `${answer.cut ? latest : ""}${toldOf(answer.counted_to, { ...answer, ends: 0 })}` };
    },
    parts: [make("section.card", { "aria-label": "Which steps" }, form, names), cards],
  });
};

type Row = Answer["data"][number];
type Question = Questions["data"][number];

/** The questions as they stand on the page; those of no group come last. */
const GROUPS: Record<string, readonly string[]> = {
  "People and accounts": "accounts contacts account contact time-line people returning active left-out".split(" "),
  "What is done": ["keys", "names", "account-names", "matching", "steps"],
  "How complete the figures are": ["state", "delays", "losses"],
};
/** Parameters for programs alone; the SQL has them. */
const INNER = ["offset", "before", "series", "members", "others"];
/** What parameters and members are called, where that is not their name; of one question alone where it is named before them. */
const HEADS: Record<string, string> = {
  active_contacts: "Active people",
  before: "Time before",
  counts: "By day or hour",
  documents: "Opened pages",
  event_uid: "Event",
  events_since: "Events are kept since",
  first_on: "First event",
  fell: "Lost most",
  rose: "Gained most",
  how_many: "How many",
  first_seen_at: "First seen",
  last_event_at: "Last event",
  last_seen_at: "Last seen",
  last_seen_on: "Last seen",
  happened_at: "Happened",
  received_at: "Arrived",
  params: "What the page gave",
  late: "Over an hour late",
  half_within_s: "Half came within (seconds)",
  most_within_s: "99 of 100 within (seconds)",
  name: "Name",
  members: "People",
  memberships: "Accounts",
  busiest: "Accounts",
  open: "May go on",
  pending: "Not done yet",
  counted_back_to: "Counted back to",
  changing: "Somebody is being left out, or counted again",
  since: "Looked at since",
  last: "Last one",
  total: "In all",
  first: "First step",
  second: "Second step",
  third: "Third step",
  fourth: "Fourth step",
  fifth: "Fifth step",
  within: "Within days",
  limit: "Rows",
  most: "Rows",
  of: "Who",
  without: "Did not do",
  sort: "Sorted by",
  asc: "Lowest first",
  desc: "Highest first",
  "steps.stopped": "Came this far",
  "returning.began": "First seen in it",
  "losses.events": "Events that came",
  "keys.kind": "Of what",
  "keys.others": "Others together",
  "account-names.active": "How many did any of it",
  "account.how_many": "Events",
  "accounts.total": "Listed",
  "contacts.total": "Listed",
  "active.total": "How many in all",
  referrer: "Came from",
  cut: "Only the latest events were looked at",
  open_until: "May go on until",
};
/** What is said of nothing, where that is worth a word. */
const NONE: Record<string, string> = {
  counted_back_to: "the first event",
  events_since: "the first one",
  last_event_at: "never",
  first_seen_at: "never",
  last_seen_at: "never",
};
/** What is said of a list without rows. */
const NOTHING: Record<string, string> = {
  "left-out": "Nobody is left out.",
  losses: "None is missing.",
  delays: "No event of this time says when it happened; those that the script sends do.",
};
/** What the keys of a list are called, and by which filter they are shown. */
const KEYS: Record<string, readonly [head: string, filter: string]> = {
  name: ["Event", "name"],
  path: ["Path", "path"],
  host: ["Host", "host"],
  referrer: ["Came from", "referrer"],
  events: ["Event", "name"],
  pages: ["Path", "path"],
  referrers: ["Came from", "referrer"],
};
/** Members of a row that say nothing to an owner, or are in another column. */
const HIDDEN =
  /^(id|unique_id|health_source|change|account_uid|stamp|source|number|step|counts_before|occurred_at|contact_uid)$/;
/** Whose page a record leads to, by where it stands. */
const toPage = (of: string) =>
  /^(account|accounts|account-names|memberships|busiest)$/.test(of)
    ? linkToAccount
    : /^(contact|contacts|members|people|stopped)$/.test(of)
      ? linkToContact
      : undefined;

/** In the words of the pages, where the interface has others. */
const inWords = (text: string): string => text.replace(/\bcontact(s?)\b/g, (_, many) => (many ? "people" : "person"));
const nameIn = (of: string, name: string): string => {
  const words = HEADS[`${of}.${name}`] ?? HEADS[name] ?? inWords(name.replaceAll("_", " "));
  return words[0]!.toUpperCase() + words.slice(1);
};

const isRecord = (value: unknown): value is Named =>
  typeof value === "object" && value !== null && "id" in value && "name" in value;
const isTime = (value: unknown): value is number => typeof value === "number" && value > 1e11;
const isDay = (value: unknown): value is string => /^\d{4}-\d\d-\d\d$/.test(String(value));
/** What a file has. */
const inFile = (value: unknown): string | number => {
  if (Array.isArray(value)) return value.map(inFile).join(", ");
  if (isRecord(value)) return value.name;
  if (typeof value === "boolean") return value ? "yes" : "";
  if (isTime(value)) return stampOf(value);
  return typeof value === "number" ? value : String(value ?? "");
};
/** Names that a cell has at most. */
const MOST = 10;
/** The same as it is shown. @param of what it is called */
const inCell = (of: string, value: unknown): Content | number => {
  if (isTime(value)) return moment(value);
  if (isDay(value)) return date(Date.parse(value), "UTC");
  if (of === "event_uid" && value) return link(linkTo("/", { name: String(value) }), cut(String(value)));
  if (of === "params") return make("span", ...makeParams(read(String(value))));
  const to = toPage(of);
  const all = [value].flat().filter(isRecord);
  if (to === undefined || all.length === 0) return typeof value === "number" ? value : cut(String(inFile(value)));
  const more = all.length > MOST ? [` and ${number(all.length - MOST)} more`] : [];
  return make("span", ...withCommas(all.slice(0, MOST).map((one) => link(to(one), one.name))), ...more);
};
const read = (json: string): object | null => {
  try {
    return JSON.parse(json);
  } catch {
    return { "": json };
  }
};

/** A list of an answer. */
interface List {
  name: string;
  title: string;
  rows: readonly Row[];
  /** Of what the events of a row are a part. */
  whole?: number;
}
const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);
const wholeOf = (sums: Row): Pick<List, "whole"> =>
  "before" in sums ? { whole: Number(sums.events ?? sums.total) } : {};

/** The columns of a list, in the order in which a row has them. */
const columnsOfList = (question: string, { name, rows, whole }: List): Column<Row>[] => {
  const all = new Set(rows.flatMap(Object.keys));
  const isOfRecords = all.has("id") && all.has("name");
  const shareOf = (head: string, part: (row: Row) => number, of: (row: Row) => number): Column<Row> => ({
    head,
    of: (row) => exactShare(part(row), of(row)),
    shown: (row) => share(part(row), of(row)),
  });
  const column = (member: string): Column<Row>[] => {
    const plain = { head: nameIn(question, member), of: (row: Row) => inFile(row[member]) };
    if (isOfRecords && member === "name") {
      const asNamed = (row: Row) => ({ ...(row as unknown as Named), unique_id: String(row.unique_id ?? row.key) });
      const to = (one: Row) => (one.kind === "contact" ? linkToContact : (toPage(name) ?? linkToAccount));
      const shown = (row: Row) => nameOf(asNamed(row), to(row)(asNamed(row)));
      const head = all.has("kind") ? "Who" : toPage(name) === linkToContact ? "Person" : "Account";
      return [
        { ...plain, head, shown },
        { head: "uid", of: (row) => asNamed(row).unique_id, shown: null },
      ];
    }
    if (isOfRecords && member === "key") return [];
    if (member === "key") {
      const [head, filter] = KEYS[name] ?? ["Key", "name"];
      const to = (key: string) => link(linkTo("/", { [filter]: key }), cut(key));
      return [{ ...plain, head, shown: (row) => to(String(row.key)) }];
    }
    if (member === "email") return [{ ...plain, head: "E-mail", shown: null }];
    // What is true of none says nothing.
    if (rows.every((row) => row[member] === false)) return [];
    if (member === "active")
      return Array.from({ length: 8 }, (_, at) => {
        const later = ({ active }: Row) => (active as number[])[at];
        const share = shareOf(
          `${at + 1} ${at === 0 ? "week" : "weeks"} later`,
          (row) => later(row) ?? 0,
          (row) => Number(row.began),
        );
        const isThere = (row: Row) => later(row) !== undefined;
        return {
          ...share,
          of: (row) => (isThere(row) ? share.of!(row) : ""),
          shown: (row) => (isThere(row) ? share.shown!(row) : ""),
        };
      });
    const own: Column<Row> = { ...plain, shown: (row) => inCell(member, row[member]) };
    if (member === "counts") return [{ ...own, shown: null }];
    if (member === "events" && whole !== undefined)
      return [
        own,
        shareOf(
          "Share",
          (row) => Number(row.events),
          () => whole,
        ),
      ];
    if (member === "before") {
      const asCounted = (row: Row) => row as unknown as { events: number; before: number };
      const inPercent = { ...IN_PERCENT, of: (row: Row) => IN_PERCENT.of!(asCounted(row)), shown: null };
      return [own, { head: "Change", shown: (row) => changeOf(asCounted(row)) }, inPercent];
    }
    if (member === "late")
      return [
        own,
        shareOf(
          "Share of late ones",
          (row) => Number(row.late),
          (row) => Number(row.events),
        ),
      ];
    return [own];
  };
  return [...all]
    .filter((member) => isOfRecords || member !== "name")
    .flatMap((member) => (HIDDEN.test(member) ? [] : column(member)));
};

/** What an answer is made of: single figures, and lists. @param asked what was given */
const partsOf = ({ name: of }: Question, { sums, data, starts }: Answer, asked: Record<string, string>) => {
  const facts: [name: string, text: Content][] = [];
  const lists: List[] = [];
  const isByHour = stepFormat(starts).head === "Hour";
  const main = asked.kind ?? (asked.of === "contact" ? "contacts" : of);
  const addAll = (members: Row) => {
    for (const [name, value] of Object.entries(members)) add(name, value);
  };
  const addCount = (title: string, total: number, before?: unknown) => {
    const stands = typeof before === "number" ? against({ total, before }) : "";
    facts.push([title, stands ? `${number(total)} (${stands})` : number(total)]);
  };
  const add = (name: string, value: unknown): void => {
    const title = nameIn(of, name);
    if (name === "next" || value === false || (value === null && NONE[name] === undefined)) return;
    if (Array.isArray(value)) {
      if (typeof value[0] !== "number")
        return void lists.push({ name: name === "fell" || name === "rose" ? main : name, title, rows: value });
      // Days of its own end today.
      const first = Date.parse(dayOf(Date.now())) - (value.length - 1) * 86_400_000;
      const ownDay = (at: number) => new Date(first + at * 86_400_000).toISOString().slice(0, 10);
      const when = (at: number) => (name === "days" ? { day: ownDay(at) } : { day: dayOf(starts[at]!) });
      const rows = value.map((how_many, at) => ({
        ...(isByHour && name !== "days" ? { hour: starts[at] } : when(at)),
        how_many,
      }));
      return void lists.push({ name, title: "hour" in rows[0]! ? "By hour" : "By day", rows: rows.reverse() });
    }
    if (!isObject(value)) {
      const shown = value === null ? NONE[name]! : inCell(name, value);
      return void facts.push([title, typeof shown === "number" ? number(shown) : shown]);
    }
    if (Array.isArray(value.data)) return void lists.push({ name, title, rows: value.data, ...wholeOf(value) });
    const { total = value.events, before } = value;
    if (total === undefined) addAll(value);
    else if (name !== "others" || total !== 0) addCount(title, Number(total), before);
  };
  const [{ of: _, ...one }, rows] = sums ? [sums, data] : [data[0] ?? {}, undefined];
  const { before, ...others } = one;
  if (typeof before === "number") {
    const counted = "events" in others ? "events" : "total";
    const head = of === "active" ? nameIn(of, "total") : "Events";
    addCount(head, Number(others[counted]), before);
    delete others[counted];
  }
  if (rows) lists.push({ name: main, title: "", rows, ...wholeOf(one) });
  addAll(others);
  return { facts, lists };
};

/** What is wrong with what was given stands at its field. */
const blame = (form: HTMLFormElement, name: string, text: string): boolean => {
  for (const one of form.querySelectorAll("small.error")) one.remove();
  for (const one of form.querySelectorAll("input, select"))
    one.setAttribute("aria-invalid", String(one.getAttribute("name") === name));
  const field = form.querySelector<HTMLInputElement>(`label [name="${name}"]`);
  field?.after(make("small.error", { role: "alert" }, text));
  field?.focus();
  return field !== null;
};

const listOf = (name: string) =>
  /^(account|contact)$/.test(name)
    ? `${name}s`
    : /^(event_uid|without|first|second|third|fourth|fifth)$/.test(name)
      ? "names"
      : undefined;

/** What an empty field stands for, if anything. */
const standardOf = (standard: string | undefined, description: string) =>
  standard === "" && !/if any|must be given|did not/.test(description) ? "all" : standard;

/** One question; it is opened, and asked at the press of a button, or at once where it wants nothing. */
const createQuestion = (ask: Ask, question: Question) => {
  const { name: of, title, note, parameters, sql, is_timed } = question;
  const shown = make("div.body");
  const given = parameters.filter(({ name }) => !INNER.includes(name));
  const fields = given.map(({ name, description, standard, choices }) => [
    name,
    [
      nameIn(of, name),
      { placeholder: standardOf(standard, description), required: standard === undefined, list: listOf(name) },
      choices?.map((value) => make("option", { value, selected: value === standard }, nameIn(of, value))),
      // What rows are needs no word.
      HEADS[name] === "Rows"
        ? ""
        : inWords(choices ? (description.split("; ")[1] ?? "") : description.replace(/^uid/, "name or uid")),
    ],
  ]);
  let asked: Record<string, string> | undefined;
  const timeOf = () => JSON.stringify(only(TIME, readState()));
  let time = "";
  const show = async (given: Record<string, string>) => {
    [asked, time] = [given, timeOf()];
    blame(form, "", "");
    shown.setAttribute("aria-busy", "true");
    if (shown.childElementCount === 0) replace(shown, make("p.note", { role: "status" }, "One moment …"));
    try {
      const uids = { ...given };
      for (const kind of ["account", "contact"] as const)
        if (given[kind]) uids[kind] = (await findOne(ask, kind, given[kind].trim())).unique_id;
      const answer = await ask.get<Answer>(`/v2/numbers/questions/${of}?${toQuery(only(TIME, readState()), uids)}`);
      if (answer) draw(answer);
    } catch (error) {
      const { message, kind } = error as Error & { kind?: string };
      const [, name = "", rest = ""] = /^(\w+) (.*)$/s.exec(message) ?? [];
      const isSaid = blame(form, kind ?? name, kind ? message : `${nameIn(of, name)} ${inWords(rest)}.`);
      replace(shown, ...(isSaid ? [] : [make("p.error", { role: "alert" }, `${inWords(message)}.`)]));
    }
    shown.removeAttribute("aria-busy");
  };
  const draw = (answer: Answer): void => {
    const why = answer.sums?.cannot_be_told;
    const { facts, lists } = why ? { facts: [], lists: [] } : partsOf(question, answer, asked ?? {});
    const pairs = facts.map(([name, text]) => make("div", make("dt", name), make("dd", text)));
    const tables = lists.flatMap((list): Content[] => {
      const columns = columnsOfList(of, list);
      const name = [list.title, inWords(title)].filter(Boolean).join(": ");
      const head = list.title ? make("h4", list.title) : "";
      if (list.rows.length === 0)
        return [
          head,
          make("p.nothing", NOTHING[of] ?? (is_timed ? "Nothing of it in this time." : "Nothing of it is stored.")),
        ];
      const csv = makeCsvButton(
        () => `${of} ${list.title}`.trim().toLowerCase().replaceAll(" ", "-") + (is_timed ? times.days : ""),
        name,
        () => toLines(columns, list.rows),
      );
      return [
        make("div.card-head", head, csv),
        makeScroll(name, [makeTable(name, columns, list.rows, { name: "table.texts" })], "div.scroll.whole"),
      ];
    });
    const { counted_to, counted_back_to, events_since, starts, ends } = answer;
    const [first, last] = [starts[0]!, ends - 1].map((at) => (stepFormat(starts).head === "Hour" ? moment : date)(at));
    const days = first === last ? first : `${first} to ${last}`;
    const { ends: _, ...told } = answer;
    replace(
      shown,
      ...(why ? [make("p.nothing", `This cannot be told: ${why}.`)] : []),
      ...(pairs.length > 0 ? [make("dl.traits", ...pairs)] : []),
      ...tables,
      make(
        "p.note",
        is_timed
          ? `Of ${days}. ${toldOf(counted_to, told)}`
          : `Whatever time is chosen above. ${toldOf(counted_to, { counted_back_to, events_since })}`,
      ),
    );
  };
  const form = makeForm("form.fields", Object.fromEntries(fields), "Ask", show);
  const isFree = !parameters.some((one) => one.standard === undefined || one.description.endsWith("must be given"));
  const toggle = () => {
    if (element.open && isFree && asked === undefined) form.requestSubmit();
  };
  const element = make(
    "details.card.wide.question",
    { "data-card": of, toggle },
    make("summary", make("h3", inWords(title))),
    form,
    shown,
    make("p.note", inWords(note.replace(/`(\w+)`/g, (_, member) => `“${nameIn(of, member)}”`))),
    make("details", make("summary", "As SQL"), make("pre", { tabindex: "0" }, sql)),
  ) as HTMLDetailsElement;
  return {
    element,
    /** Another time was chosen. */
    renew: () => void (element.open && asked && is_timed && time !== timeOf() && show(asked)),
  };
};

/** All questions that can be asked, with their answers. */
export const createQuestions = (main: Element, ask: Ask) => {
  const list = make("div.cards");
  let questions: ReturnType<typeof createQuestion>[] = [];
  const offers = (Object.keys(OFFERED) as (keyof typeof OFFERED)[]).map((id) => createOffer(ask, id, [id]));
  /** What the fields of a question offer is there before one of them is used. */
  const offer = ({ target }: Event) => {
    for (const { element, load } of offers) if ((target as Element).querySelector(`[list="${element.id}"]`)) load();
  };
  list.addEventListener("toggle", offer, true);
  return createView<Questions>(main, "All questions", {
    ask,
    address: () => "/v2/numbers/questions",
    draw: async ({ data }) => {
      if (questions.length === 0) {
        const groups = Object.entries(GROUPS).map(([title, names]) => ({
          title,
          of: names.flatMap((name) => data.filter((one) => one.name === name)),
        }));
        const rest = data.filter(({ name }) => !Object.values(GROUPS).flat().includes(name));
        for (const { title, of } of [...groups, { title: "More", of: rest }]) {
          const own = of.map((one) => createQuestion(ask, one));
          if (own.length > 0) list.append(make("h2.wide", title), ...own.map(({ element }) => element));
          questions = [...questions, ...own];
        }
      }
      for (const { renew } of questions) renew();
      return {
        told: `Open a question. Where you leave a field empty, the service takes the grey text in it. Days and times are those of ${times.zone}.`,
      };
    },
    parts: [
      list,
      ...offers.map(({ element }) => element),
      make("p.note", "A program asks them by the ", link("/docs", "interface"), " of this service."),
    ],
  });
};
