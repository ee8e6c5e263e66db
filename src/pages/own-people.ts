import { createAdminForm, leaveOut } from "./admin-forms.js";
import { nameOf, WORDS } from "./cards.js";
import { type Column, make, makeScroll, makeTable, replace } from "./elements.js";
import type { Ask, LeftOut } from "./session.js";
import { linkToAccount, linkToContact } from "./url-state.js";
import { createView } from "./view.js";
import { createOffer, findOne } from "./who.js";

type One = LeftOut["data"][number];

const button = (value: string, text: string, more = {}, name = "button") =>
  make(name, { type: "submit", value, ...more }, text);
const COLUMNS: Column<One>[] = [
  { head: "Who", shown: (one) => nameOf(one, one.kind === "account" ? linkToAccount(one) : linkToContact(one)) },
  { head: "What", shown: ({ kind }) => WORDS[kind] },
  { head: "Figures", shown: ({ pending }) => (pending ? "change in a minute or two" : "do not count it") },
  {
    head: "Change",
    shown: ({ kind, id, name }) =>
      button(
        `${kind}s/${id}`,
        "Count again",
        { formnovalidate: true, "aria-label": `Count ${name} again` },
        "button.quiet",
      ),
  },
];

/** Who counts nowhere, as one's own: a list, to which somebody is added, and from which each is counted again. */
export const createOwnPeople = (main: Element, ask: Ask) => {
  const { element: offered, load } = createOffer(ask, "all", ["accounts", "contacts"]);
  const whom = make("input", { autocomplete: "off", spellcheck: "false", required: true, list: "all", focus: load });
  const list = makeScroll("Left out", [], "div.scroll.whole");
  const deed = async (given: string, value: string): Promise<string> => {
    const isNew = value === "account" || value === "contact";
    const path = isNew ? `${value}s/${(await findOne(ask, value, whom.value.trim())).id}` : value;
    const said = await leaveOut(given, path, isNew);
    view.show();
    return said;
  };
  const form = createAdminForm(
    deed,
    make("label", "Name, or uid as your pages send it", whom, offered),
    make("div.actions", button("account", "Leave this account out"), button("contact", "Leave this person out")),
    list,
  );
  const view = createView<LeftOut>(main, "Your own people", {
    ask,
    address: () => "/v2/numbers/left-out",
    draw: async ({ data }) => {
      const none = make("p.nothing", "Nobody is left out.");
      replace(list, data.length === 0 ? none : makeTable("Left out", COLUMNS, data));
      return {
        told: "What they do, or did before, counts in no figure. If you leave out an account, its people are left out, too.",
      };
    },
    hasTimes: false,
    parts: [
      make("section.card", { "aria-label": "Who is left out", "data-card": "left-out" }, form),
      make(
        "p.note",
        "To leave out the visits of your own browser only, open the inspector by the link below, and choose Leave out my visits.",
      ),
    ],
  });
  return view;
};
