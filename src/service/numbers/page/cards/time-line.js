import { link, make, replace } from "../base/elements.js";
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
  /** What was asked for last, without its place, and what is shown. */
  let wanted;
  let shown = { of: undefined, events: [], next: null };
  const addressOf = (filters) => {
    const params = new URLSearchParams({ limit });
    for (const [name, { parameter }] of Object.entries(FILTERS))
      if (filters[name] && name !== "account") params.set(parameter, filters[name]);
    return `${path}?${params}`;
  };
  /** @returns the answer; nothing where something else was asked for meanwhile */
  const get = async (more = "") => {
    const own = wanted;
    const answer = await ask.get(own + more);
    return own === wanted ? answer : undefined;
  };
  const draw = () => {
    const days = new Map();
    for (const event of shown.events) {
      const day = dayOf(event.received_at);
      days.set(day, [...(days.get(day) ?? []), event]);
    }
    replace(
      list,
      ...[...days].map(([day, events]) =>
        make(
          "section",
          { "data-day": day },
          make("h3", {}, date.format(events[0].received_at)),
          make("ol", {}, ...events.map((event) => makeEvent(event, hasContacts))),
        ),
      ),
    );
    card.hold(
      ["received_at", "contact", "account_uid", "event_uid", "params"],
      shown.events.map(({ received_at: at, contact, account_uid, event_uid, params }) => [
        ...[new Date(at).toISOString(), contact.name, account_uid, event_uid, params],
      ]),
    );
    more.hidden = shown.next === null;
    none.hidden = shown.events.length > 0;
  };
  more.addEventListener("click", async () => {
    const { next } = shown;
    const answer = await get(`&before=${next}`);
    if (answer === undefined || next !== shown.next) return;
    shown = { ...shown, events: [...shown.events, ...answer.data], next: answer.next };
    draw();
  });
  return {
    element: card.element,
    /** Older events that are shown stay so: newer ones come in front of them. */
    async load(state) {
      wanted = addressOf(state);
      const answer = await get();
      if (answer === undefined) return;
      const { data, next } = answer;
      const newer = shown.of === wanted ? data.findIndex(({ id }) => id === shown.events[0]?.id) : -1;
      if (newer === 0) return;
      shown =
        newer < 0
          ? { of: wanted, events: data, next }
          : { ...shown, events: [...data.slice(0, newer), ...shown.events] };
      draw();
    },
    address: () => `${path}?limit=${limit}`,
  };
};
