import { cut, makeCard, noteNames, whose, withBar } from "./cards.js";
import { breakable, type Column, fill, link, make, makeForm, makeScroll, makeTable, replace } from "./elements.js";
import { exactShare, share, stampOf } from "./format.js";
import type { Answer, Ask, Questions, Steps } from "./session.js";
import { go, linkToAccount, linkToContact, only, readState, type State, toQuery } from "./url-state.js";
import { createView, toldOf } from "./view.js";

/* Questions that want to be told something first: the steps that people take, and any other. */

const STEPS = ["first", "second", "third", "fourth", "fifth"];
const ASKED = [...STEPS, "within"];

type Step = Steps["data"][number];
type Stopped = Step["stopped"][number] & { after: string };
const STOPPED: Column<Stopped>[] = [
  ...whose("Person", linkToContact),
  { head: "Last step", of: ({ after }) => after },
  {
    head: "Account",
    of: ({ account }) => account?.name,
    shown: ({ account }) => (account ? link(linkToAccount(account), account.name) : ""),
  },
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
      within: ["within days", { inputmode: "numeric", pattern: "[1-9][0-9]{0,2}", required: true }],
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
  const [steps, stopped] = [
    makeCard("steps", "Steps", {
      isWide: true,
      note: "Share: of those who took the first step, and of those who took the step before. The days run from the first start of a person in this time; who began lately may still go on.",
    }),
    makeCard("stopped", "Who stops where", { isWide: true }),
  ];
  const draw = (answer: readonly Step[], names: ReadonlySet<string>) => {
    const all = answer[0]?.contacts ?? 0;
    const data = answer.map((one, at) => ({
      ...{
        ...one,
        before: answer[at - 1]?.contacts ?? one.contacts,
        isUnknown: one.contacts === 0 && !names.has(one.event_uid),
      },
      stop: one.contacts - (answer[at + 1]?.contacts ?? one.contacts),
    }));
    type Row = (typeof data)[number];
    const toShare = (head: string, whole: (one: Row) => number): Column<Row> => ({
      ...{ head, of: (one) => exactShare(one.contacts, whole(one)) },
      shown: (one) => share(one.contacts, whole(one)),
    });
    const columns: Column<Row>[] = [
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
      { head: "People", of: ({ contacts }) => contacts },
      toShare("Share", () => all),
      toShare("Of step before", ({ before }) => before),
      { head: "Stop here", of: ({ stop }) => stop },
      { head: "Accounts", of: ({ accounts }) => accounts },
    ];
    steps.hold(columns, data);
    steps.show(makeTable("Steps", columns, data, { name: "table.list.steps" }));
    // Who has taken the last step stops nowhere.
    const who = data
      .slice(0, -1)
      .flatMap(({ event_uid, stopped: some }) => some.map((one) => ({ ...one, after: event_uid })));
    stopped.element.hidden = who.length === 0;
    stopped.hold(STOPPED, who);
    const list = makeTable("Who stops where", STOPPED, who, { name: "table.texts" });
    stopped.show(
      makeScroll("Who stops where", [list], "div.scroll.whole"),
      ...(data.some(({ stop, stopped }) => stop > stopped.length)
        ? [make("p.note", "The latest 50 of each step.")]
        : []),
      ...noteNames("contact", who),
    );
  };
  const cards = make("div.cards", { hidden: true }, steps.element, stopped.element);
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
      return { told: `Begun in this time. ${answer.cut ? latest : ""}${toldOf(answer.counted_to, answer)}` };
    },
    parts: [make("section.card", { "aria-label": "Which steps" }, form, names), cards],
  });
};

type Row = Answer["data"][number];
/** In the words of the pages, where the interface has others. */
const inWords = (text: string): string =>
  text.replace(/\bcontact(s?)\b/g, (_, many) => (many ? "people" : "person")).replaceAll("`", "");
/** The name of a parameter, or of a column. */
const nameIn = (name: string): string => {
  const words = inWords(
    name
      .replace(/^unique_id$/, "uid")
      .replace(/^change$/, "change in events")
      .replace(/^stopped$/, "last step of")
      .replace(/(?<=.)_uid$/, "")
      .replaceAll("_", " "),
  );
  return words[0]!.toUpperCase() + words.slice(1);
};
const inText = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value ?? "");
  if (Array.isArray(value)) return value.map(inText).join(", ");
  const { name, ...members } = value as Record<string, unknown>;
  const all = Object.entries(members).map(([member, of]) => `${nameIn(member)}: ${inText(of)}`);
  return name === undefined ? all.join(", ") : inText(name);
};
const cellOf = (head: string, value: unknown): string | number => {
  if (typeof value !== "number") return inText(value);
  return head.endsWith("_at") ? stampOf(value) : value;
};

/** One question, asked at the press of a button. */
const createQuestion = (ask: Ask, { name, title, note, parameters, sql }: Questions["data"][number]) => {
  const card = makeCard(name, inWords(title), { isWide: true, note: inWords(note) });
  const shown = make("div");
  const fields = parameters.map(({ name, description, standard, choices }) => [
    name,
    [
      [nameIn(name), inWords(choices ? (description.split("; ")[1] ?? "") : description)].filter(Boolean).join(": "),
      { placeholder: standard, required: standard === undefined },
      choices?.map((value) => make("option", { value, selected: value === standard }, nameIn(value))),
    ],
  ]);
  const form = makeForm("form.fields", Object.fromEntries(fields), "Ask", async (given) => {
    replace(shown, make("p.note", { role: "status" }, "One moment …"));
    try {
      const answer = await ask.get<Answer>(`/v2/numbers/questions/${name}?${toQuery(readState(), given)}`);
      const rows = answer?.data ?? [];
      const heads = [...new Set(rows.flatMap(Object.keys))];
      const columns = heads.map((head): Column<Row> => {
        const of = (row: Row) => cellOf(head, row[head]);
        const shown = (row: Row) => (typeof of(row) === "number" ? of(row) : cut(String(of(row))));
        return { head: nameIn(head), of, shown: head === "id" ? null : shown };
      });
      card.hold(columns, rows);
      const table = makeTable(title, columns, rows, { name: "table.texts" });
      replace(shown, rows.length === 0 ? make("p.nothing", "No rows.") : makeScroll(title, [table]));
    } catch (error) {
      replace(shown, make("p.error", { role: "alert" }, (error as Error).message));
    }
  });
  card.show(form, shown, make("details", make("summary", "As SQL"), make("pre", { tabindex: "0" }, sql)));
  return card.element;
};

/** All questions that can be asked, with their answers. */
export const createQuestions = (main: Element, ask: Ask) => {
  const list = make("div.cards");
  return createView<Questions>(main, "All questions", {
    ask,
    address: () => "/v2/numbers/questions",
    draw: async ({ data }) => {
      if (list.childElementCount === 0) replace(list, ...data.map((one) => createQuestion(ask, one)));
      return {
        told: "What is left empty stands for all, or for what stands there in grey; the time is the one chosen above.",
      };
    },
    parts: [list, make("p.note", "A program asks them by the ", link("/docs", "interface"), " of this service.")],
  });
};
