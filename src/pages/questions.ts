import { changeOf, cut, IN_PERCENT, makeParams, nameOf, shareOf } from "./cards.js";
import {
  type Column,
  type Content,
  link,
  make,
  makeCsvButton,
  makeFold,
  makeForm,
  makeScroll,
  makeTable,
  replace,
  toLines,
  withCommas,
} from "./elements.js";
import { against, date, dayOf, moment, number, stampOf, stepFormat, times } from "./format.js";
import type { Answer, Ask, Named, Questions } from "./session.js";
import { FILTERS, linkTo, linkToAccount, linkToContact, only, readState, TIME, toQuery } from "./url-state.js";
import { createView, toldOf } from "./view.js";
import { createOffer, findOne, OFFERED } from "./who.js";

type Row = Answer["data"][number];
type Question = Questions["data"][number];

/** Whose page a record leads to, by where it stands. */
const toPage = (of: string) =>
  /^(account|accounts|account-names|memberships|busiest)$/.test(of)
    ? linkToAccount
    : /^(contact|contacts|members|people|stopped)$/.test(of)
      ? linkToContact
      : undefined;

/** In the words of the pages, where the interface has others. */
const inWords = (text: string): string => text.replace(/\bcontact(s?)\b/g, (_, many) => (many ? "people" : "person"));
const nameIn = ({ heads }: Question, name: string): string => {
  const filter = Object.values(FILTERS).find(({ parameter }) => parameter === name);
  const words = heads[name] ?? filter?.label ?? inWords(name.replace(/_(at|on)$/, "").replaceAll("_", " "));
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
const columnsOfList = (question: Question, { name, rows, whole }: List): Column<Row>[] => {
  const all = new Set(rows.flatMap(Object.keys));
  const isOfRecords = all.has("id") && all.has("name");
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
      const filter = { events: "name", pages: "path", referrers: "referrer" }[name] ?? name;
      const [by, { label }] = Object.entries(FILTERS).find(([one]) => one === filter) ?? ["name", FILTERS.name];
      const to = (key: string) => link(linkTo("/", { [by]: key }), cut(key));
      return [{ ...plain, head: label, shown: (row) => to(String(row.key)) }];
    }
    if (member === "email") return [{ ...plain, head: "E-mail", shown: null }];
    // What is true of none says nothing.
    if (rows.every((row) => row[member] === false)) return [];
    if (member === "active")
      return Array.from({ length: 8 }, (_, at) => {
        const later = ({ active }: Row) => (active as number[])[at];
        const share = shareOf<Row>(`${at + 1} ${at === 0 ? "week" : "weeks"} later`, (row) => [
          later(row) ?? 0,
          Number(row.began),
        ]);
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
      return [own, shareOf("Share", (row) => [Number(row.events), whole])];
    if (member === "before") {
      const asCounted = (row: Row) => row as unknown as { events: number; before: number };
      const inPercent = { ...IN_PERCENT, of: (row: Row) => IN_PERCENT.of!(asCounted(row)), shown: null };
      return [own, { head: "Change", shown: (row) => changeOf(asCounted(row)) }, inPercent];
    }
    if (member === "late") return [own, shareOf("Share of late ones", (row) => [Number(row.late), Number(row.events)])];
    return [own];
  };
  return [...all]
    .filter((member) => isOfRecords || member !== "name")
    .flatMap((member) => (/^(id|unique_id)$/.test(member) || question.hidden.includes(member) ? [] : column(member)));
};

/** What an answer is made of: single figures, and lists. @param asked what was given */
const partsOf = (question: Question, { sums, data, starts }: Answer, asked: Record<string, string>) => {
  const { name: of } = question;
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
    const title = nameIn(question, name);
    if (name === "next" || value === false || (value === null && !name.endsWith("_at"))) return;
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
      const shown = value === null ? "never" : inCell(name, value);
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
    const head = of === "active" ? nameIn(question, "total") : "Events";
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

/** One question; it is opened, and asked at the press of a button, or at once where it wants nothing. */
const createQuestion = (ask: Ask, question: Question) => {
  const { name: of, title, note, page, none, hidden, parameters, sql, is_timed } = question;
  const shown = make("div.body");
  const given = parameters.filter(({ name }) => !hidden.includes(name));
  const fields = given.map(({ name, description, standard, choices }) => [
    name,
    [
      // A description of one word is what it is called.
      nameIn(question, /^\w+$/.test(description) ? description : name),
      { placeholder: standard, required: standard === undefined, list: listOf(name) },
      choices?.map((value) => make("option", { value, selected: value === standard }, nameIn(question, value))),
      inWords(
        choices ? (description.split("; ")[1] ?? "") : description.replace(/^\w+$/, "").replace(/^uid/, "name or uid"),
      ),
    ],
  ]);
  let asked: Record<string, string> | undefined;
  const timeOf = () => JSON.stringify(only(TIME, readState()));
  let time = "";
  const show = async (given: Record<string, string>) => {
    [asked, time] = [given, timeOf()];
    const own = time;
    /** Nothing else was asked meanwhile, whose answer may have come before. */
    const isNow = () => asked === given && time === own;
    blame(form, "", "");
    shown.setAttribute("aria-busy", "true");
    if (shown.childElementCount === 0) replace(shown, make("p.note", { role: "status" }, "One moment …"));
    try {
      const uids = { ...given };
      for (const kind of ["account", "contact"] as const)
        if (given[kind]) uids[kind] = (await findOne(ask, kind, given[kind].trim())).unique_id;
      const answer = await ask.get<Answer>(`/v2/numbers/questions/${of}?${toQuery(only(TIME, readState()), uids)}`);
      if (answer && isNow()) draw(answer);
    } catch (error) {
      if (!isNow()) return;
      const { message, kind } = error as Error & { kind?: string };
      const [, name = "", rest = ""] = /^(\w+) (.*)$/s.exec(message) ?? [];
      const isSaid = blame(form, kind ?? name, kind ? message : `${nameIn(question, name)} ${inWords(rest)}.`);
      replace(shown, ...(isSaid ? [] : [make("p.error", { role: "alert" }, `${inWords(message)}.`)]));
    }
    if (isNow()) shown.removeAttribute("aria-busy");
  };
  const draw = (answer: Answer): void => {
    const why = answer.sums?.cannot_be_told;
    const { facts, lists } = why ? { facts: [], lists: [] } : partsOf(question, answer, asked ?? {});
    const pairs = facts.map(([name, text]) => make("div", make("dt", name), make("dd", text)));
    const tables = lists.flatMap((list): Content[] => {
      const columns = columnsOfList(question, list);
      const name = [list.title, inWords(title)].filter(Boolean).join(": ");
      const head = list.title ? make("h4", list.title) : "";
      if (list.rows.length === 0)
        return [
          head,
          make("p.nothing", none ?? (is_timed ? "Nothing of it in this time." : "Nothing of it is stored.")),
        ];
      const csv = makeCsvButton(
        () => `${of} ${list.title}`.trim().toLowerCase().replaceAll(" ", "-") + (is_timed ? times.days : ""),
        name,
        () => toLines(columns, list.rows),
      );
      const table = makeTable(name, columns, list.rows, { name: "table.texts" });
      const box = makeScroll(name, [table], "div.scroll.whole");
      // On a phone a row of each day would hide what follows.
      const isFolded = /^By (day|hour)$/.test(list.title) && matchMedia("(max-width: 44rem)").matches;
      return [make("div.card-head", head, csv), isFolded ? makeFold(box) : box];
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
  const isFree = !parameters.some((one) => one.standard === undefined || one.is_one_of);
  const toggle = () => {
    if (element.open && isFree && asked === undefined) form.requestSubmit();
  };
  const own = link("", "A page of its own shows this, too");
  const element = make(
    "details.card.wide.question",
    { "data-card": of, toggle },
    make("summary", make("h3", inWords(title))),
    ...(page ? [make("p.note", own)] : []),
    form,
    shown,
    make("p.note", inWords(note.replace(/`(\w+)`/g, (_, member) => `“${nameIn(question, member)}”`))),
    make("details", make("summary", "As SQL"), make("pre", { tabindex: "0" }, sql)),
  ) as HTMLDetailsElement;
  return {
    element,
    /** Another time was chosen. */
    renew() {
      if (page) own.href = linkTo(page);
      if (element.open && asked && is_timed && time !== timeOf()) show(asked);
    },
  };
};

/** All questions that can be asked, with their answers. */
export const createQuestions = (main: Element, ask: Ask) => {
  const list = make("div.cards");
  const questions: ReturnType<typeof createQuestion>[] = [];
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
        for (const title of new Set(data.map(({ group }) => group))) {
          const own = data.filter(({ group }) => group === title).map((one) => createQuestion(ask, one));
          list.append(make("h2.wide", title), ...own.map(({ element }) => element));
          questions.push(...own);
        }
      }
      for (const { renew } of questions) renew();
      return {
        told: `Open a question. An empty field leaves nothing out; where it has grey text, the service takes that. Days and times are those of ${times.zone}.`,
      };
    },
    parts: [
      list,
      ...offers.map(({ element }) => element),
      make("p.note", "A program asks them by the ", link("/docs", "interface"), " of this service."),
    ],
  });
};
