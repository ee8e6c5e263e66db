import { makeCard, noteNames, personWith, shareOf, withBar } from "./cards.js";
import { breakable, type Column, fill, make, makeForm, makeTable, replace } from "./elements.js";
import { moment, number, stampOf } from "./format.js";
import type { Answer, Ask, Steps } from "./session.js";
import { go, only, readState, type State, toQuery } from "./url-state.js";
import { createView, toldOf } from "./view.js";

const STEPS = ["first", "second", "third", "fourth", "fifth"];
const ASKED = [...STEPS, "within"];

type Step = Steps["data"][number];
type Taker = Step["stopped"][number] & { last: string };
const WHO = personWith<Taker>(({ account }) => (account ? [account] : []));
/** When somebody took the step at this place. */
const timeOf = (head: string, at: number): Column<Taker> => ({
  head,
  of: ({ times }) => times[at] && stampOf(times[at]),
  shown: ({ times }) => (times[at] ? moment(times[at]) : ""),
});
const STOPPED: Column<Taker>[] = [
  ...WHO,
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
      note: "Each step counts people who did it after the step before, within the days that you gave. Who starts several times counts once, by the start that got furthest. “Share” is of those who did the first step.",
    }),
    makeCard("finished", "Who took all steps", { isWide: true }),
    makeCard("stopped", "Who stopped, and where", { isWide: true }),
  ];
  const showList = (
    { element, show, table }: typeof stopped,
    columns: readonly Column<Taker>[],
    who: readonly Taker[],
    isCut: boolean,
  ) => {
    element.hidden = who.length === 0;
    const latest = isCut ? [make("p.note", "The latest 50 of each step.")] : [];
    show(table(columns, who, "table.texts.takers"), ...latest, ...noteNames("contact", who));
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
    const figures: Column<Row>[] = [
      {
        head: "Step",
        of: ({ event_uid }) => event_uid,
        shown: ({ event_uid, contacts, isUnknown }) =>
          make(
            "span",
            withBar(make("span", ...breakable(event_uid)), contacts / Math.max(1, all)),
            ...(isUnknown ? [make("small.down", "no event in this time has this name")] : []),
          ),
      },
      {
        head: "People",
        of: ({ contacts }) => contacts,
        // On a phone, where there is no room for another column.
        shown: ({ contacts, accounts }) =>
          make("span", { "data-below": `in ${number(accounts)} accounts` }, number(contacts)),
      },
      shareOf("Share", ({ contacts }) => [contacts, all]),
      shareOf("Of step before", ({ contacts, before }) => [contacts, before]),
      {
        head: "Stop here",
        of: ({ stop }) => stop,
        shown: ({ stop, open }) =>
          open > 0 ? make("span", number(stop), make("small", `${number(open)} of them may go on`)) : stop,
      },
      { head: "May go on", of: ({ open }) => open, shown: null },
      { head: "Accounts", of: ({ accounts }) => accounts },
    ];
    steps.hold(figures, data);
    steps.show(makeTable("Steps", figures, data, { name: "table.list.steps" }));
    const who = data.map(({ event_uid: last, stopped: some }) => some.map((one) => ({ ...one, last })));
    const isCut = ({ contacts }: Row, at: number) => contacts - (data[at + 1]?.contacts ?? 0) > who[at]!.length;
    const columns = [...WHO, ...data.map(({ event_uid }, at) => timeOf(event_uid, at))];
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
        return { told: "Choose two to five events in the order in which people do them." };
      draw(answer.data, all);
      const latest = "There are too many events to look at all: of each name the latest 200,000 count here. ";
      return { told: `${answer.cut ? latest : ""}${toldOf(answer.counted_to, { ...answer, ends: 0 })}` };
    },
    parts: [make("section.card", { "aria-label": "Which steps" }, form, names), cards],
  });
};
