import { link, make } from "../base/elements.js";
import { date, moment, time } from "../base/format.js";
import { dayOf, FILTERS, hereWith, linkToContact } from "../base/route.js";
import { makeCard } from "./card.js";

const toText = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const parse = (text) => {
  try {
    return Object.entries(JSON.parse(text));
  } catch {
    return [["params", text]];
  }
};

const makeEvent = (
  { received_at: at, occurred_at: occurred, event_uid, contact, account_uid, params },
  hasContacts,
) => {
  const shown = parse(params).map(([key, value]) => make("li", {}, make("i", {}, `${key} `), toText(value)));
  const when = make("time", { datetime: new Date(at).toISOString(), title: moment.format(at) }, time.format(at));
  const who = hasContacts ? link(linkToContact(contact), contact.name) : (account_uid ?? "");
  const late =
    occurred !== null && at - occurred > 60_000 ? [make("small", {}, `happened ${moment.format(occurred)}`)] : [];
  return make(
    "li.happened",
    {},
    ...[
      when,
      link(hereWith({ name: event_uid }), event_uid, { class: "event-name" }),
      make("span.who", {}, who),
      ...late,
    ],
    make("ul.params", {}, ...shown),
  );
};

/** Events, the newest first, by day; more of them at the press of a button. */
export const createTimeLine = (ask, path, { limit, hasContacts = false }) => {
  const card = makeCard("time-line", hasContacts ? "Latest events" : "Time line", { wide: true });
  const list = make("div.time-line");
  const more = make("button", { type: "button", hidden: "" }, "Older events");
  const none = make("p.nothing", { hidden: "" }, "No such event is stored.");
  card.body.append(list, none, more);
  let next;
  let filters = {};
  let rows = [];
  const query = () => {
    const params = new URLSearchParams({ limit });
    for (const [name, { parameter }] of Object.entries(FILTERS))
      if (filters[name] && name !== "account") params.set(parameter, filters[name]);
    if (next) params.set("before", next);
    return `${path}?${params}`;
  };
  const add = async (isFirst) => {
    const answer = await ask.get(query());
    if (answer === undefined) return;
    if (isFirst) list.replaceChildren();
    if (isFirst) rows = [];
    for (const event of answer.data) {
      const day = dayOf(event.received_at);
      if (list.lastElementChild?.dataset.day !== day)
        list.append(make("section", { "data-day": day }, make("h3", {}, date.format(event.received_at)), make("ol")));
      list.lastElementChild.lastElementChild.append(makeEvent(event, hasContacts));
      rows.push([
        new Date(event.received_at).toISOString(),
        event.contact.name,
        event.account_uid,
        event.event_uid,
        event.params,
      ]);
    }
    card.hold(["received_at", "contact", "account_uid", "event_uid", "params"], rows);
    next = answer.next;
    more.hidden = next === null;
    none.hidden = rows.length > 0;
  };
  more.addEventListener("click", () => add(false));
  return {
    element: card.element,
    load(state) {
      next = undefined;
      filters = state;
      return add(true);
    },
    address: () => `${path}?limit=${limit}`,
  };
};
