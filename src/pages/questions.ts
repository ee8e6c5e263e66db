import { cut, makeCard, noteNames, toText, whose, withBar } from "./cards.js";
import { type Column, fill, link, make, makeForm, makeScroll, makeTable, replace } from "./elements.js";
import { exactShare, share, stampOf } from "./format.js";
import type { Answer, Ask, Numbers, Questions, Steps } from "./session.js";
import { go, linkToAccount, linkToContact, only, readState, toQuery } from "./url-state.js";
import { createView, toldOf } from "./view.js";

/* Questions that want to be told something first: the steps that people take, and any other. */

const STEPS = ["first", "second", "third", "fourth", "fifth"];
const ASKED = [...STEPS, "within"];

type Step = Steps["data"][number];
type Stopped = Step["stopped"][number] & { after: string };
const STOPPED: Column<Stopped>[] = [
  ...whose("Contact", linkToContact),
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
    makeCard("steps", "Steps", { isWide: true, note: "Share: of those who took the first step." }),
    makeCard("stopped", "Who stops where", { isWide: true }),
  ];
  const draw = (data: readonly Step[], isUnknown: readonly boolean[]) => {
    const [all] = data.map(({ contacts }) => contacts);
    const columns: Column<Step>[] = [
      {
        head: "Step",
        of: ({ event_uid }) => event_uid,
        shown: (one) => {
          const bar = withBar(one.event_uid, one.contacts / Math.max(1, all!));
          return isUnknown[data.indexOf(one)] ? make("span", bar, make("small.down", "no event has this name")) : bar;
        },
      },
      { head: "Contacts", of: ({ contacts }) => contacts },
      {
        head: "Share",
        of: ({ contacts }) => exactShare(contacts, all!),
        shown: ({ contacts }) => share(contacts, all!),
      },
      { head: "Stop", of: (one) => one.contacts - (data[data.indexOf(one) + 1]?.contacts ?? one.contacts) },
      { head: "Accounts", of: ({ accounts }) => accounts },
    ];
    steps.hold(columns, data);
    steps.show(makeTable("Steps", columns, data, { name: "table.list.steps" }));
    const who = data.flatMap(({ event_uid, stopped: some }, at) =>
      some.map((one) => ({ ...one, after: at === data.length - 1 ? `${event_uid}, the last` : event_uid })),
    );
    stopped.element.hidden = who.length === 0;
    stopped.hold(STOPPED, who);
    const list = makeTable("Who stops where", STOPPED, who, { name: "table.texts" });
    stopped.show(
      makeScroll("Who stops where", [list], "div.scroll.whole"),
      make("p.note", "The latest 50 of each step."),
      ...noteNames("contact", who),
    );
  };
  const cards = make("div.cards", { hidden: true }, steps.element, stopped.element);
  return createView<Steps | Numbers>(main, "Steps", {
    ask,
    address: (state) =>
      state.first && state.second
        ? `/v2/numbers/steps?${toQuery(state, only(ASKED, state))}`
        : `/v2/numbers?${toQuery(state)}`,
    draw: async (answer, state, isNow) => {
      refill();
      const known = answer.object === "numbers" ? answer : await ask.get<Numbers>(`/v2/numbers?${toQuery(state)}`);
      const { data, more } = known?.events ?? { data: [], more: [] };
      replace(names, ...[...data, ...more].map(({ event_uid }) => make("option", { value: event_uid })));
      cards.hidden = answer.object === "numbers";
      if (answer.object === "numbers") return { told: "Name two to five events, in the order in which they are done." };
      const isUnknown = async ({ contacts, event_uid }: Step) => {
        const query = new URLSearchParams({ event_uid, limit: "1" });
        return contacts === 0 && (await ask.get<{ data: unknown[] }>(`/v2/events?${query}`))?.data.length === 0;
      };
      const areUnknown = await Promise.all(answer.data.map(isUnknown));
      if (!isNow()) return undefined;
      draw(answer.data, areUnknown);
      const latest = "Of a name that came more often, the latest 200,000 events were looked at. ";
      return { told: `Begun in this time. ${answer.cut ? latest : ""}${toldOf(answer.counted_to, answer)}` };
    },
    parts: [make("section.card", { "aria-label": "Which steps" }, form, names), cards],
  });
};

type Row = Answer["data"][number];
const cellOf = (head: string, value: unknown): string | number => {
  if (typeof value !== "number") return value === null || value === undefined ? "" : toText(value);
  return head.endsWith("_at") ? stampOf(value) : value;
};

/** One question, asked at the press of a button. */
const createQuestion = (ask: Ask, { name, title, note, parameters, sql }: Questions["data"][number]) => {
  const card = makeCard(name, title, { isWide: true, note });
  const shown = make("div");
  const fields = parameters.map(({ name, description, standard }) => [
    name,
    [`${name}: ${description}`, { placeholder: standard, required: standard === undefined }],
  ]);
  const form = makeForm("form.fields", Object.fromEntries(fields), "Ask", async (given) => {
    replace(shown, make("p.note", { role: "status" }, "One moment …"));
    try {
      const answer = await ask.get<Answer>(`/v2/numbers/questions/${name}?${toQuery(readState(), given)}`);
      const rows = answer?.data ?? [];
      const heads = [...new Set(rows.flatMap(Object.keys))];
      const columns = heads.map((head): Column<Row> => {
        const of = (row: Row) => cellOf(head, row[head]);
        return { head, of, shown: (row) => (typeof of(row) === "number" ? of(row) : cut(String(of(row)))) };
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
      return { told: "What is not given stands for all; the time is the one chosen here." };
    },
    parts: [list, make("p.note", "A program asks them by the ", link("/docs", "interface"), " of this service.")],
  });
};
