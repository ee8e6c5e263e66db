import { makeCard, makeParams } from "./cards.js";
import { type Column, link, make, replace } from "./elements.js";
import { clockOfSeconds, dayOf, longDay, moment, stampOf } from "./format.js";
import type { Ask, TimeLine } from "./session.js";
import { filtersOf, hereWith, linkToAccount, linkToContact, type State } from "./url-state.js";

/** Milliseconds from happening to receipt that are worth a word. */
const LATE_MS = 60_000;
/** Events that are asked for at once: to be shown, and for a file, which has so many at most. */
const [SHOWN, AT_ONCE, MOST] = [50, 200, 1_000];

type Event = TimeLine["data"][number];

const COLUMNS: Column<Event>[] = [
  { head: "happened_at", of: (one) => stampOf(one.happened_at) },
  { head: "received_at", of: (one) => stampOf(one.received_at) },
  { head: "contact", of: ({ contact }) => contact.name },
  { head: "contact_uid", of: ({ contact }) => contact.unique_id },
  { head: "account", of: ({ account }) => account?.name },
  { head: "account_uid", of: (one) => one.account_uid },
  { head: "event_uid", of: (one) => one.event_uid },
  { head: "params", of: ({ params }) => params },
];

const parse = (params: string): object => {
  try {
    return JSON.parse(params);
  } catch {
    return { params };
  }
};

/** Events, the newest first, by day; more of them at the press of a button. */
export const createTimeLine = (ask: Ask, path: string, { hasContacts = false }: { hasContacts?: boolean } = {}) => {
  const makeEvent = ({ happened_at: at, received_at: arrived, event_uid, contact, account, params }: Event) => {
    const company = account && link(linkToAccount(account), account.name);
    const whose = hasContacts ? link(linkToContact(contact), contact.name) : company;
    return make(
      "li.happened",
      make("time", { datetime: new Date(at).toISOString(), title: moment(at) }, clockOfSeconds(at)),
      link(hereWith({ name: event_uid }), event_uid, { class: "event-name" }),
      make("span.who", ...(whose ? [whose] : [])),
      ...(arrived - at > LATE_MS ? [make("small", `arrived ${moment(arrived)}`)] : []),
      ...makeParams(parse(params)),
    );
  };

  let isCut = false;
  const card = makeCard("time-line", hasContacts ? "Latest events" : "Time line", {
    isWide: true,
    fileOf: () => (isCut ? `-latest-${MOST}` : ""),
  });
  const list = make("div.time-line");
  const more = make("button", { type: "button", hidden: true, click: () => readOlder() }, "Older events");
  const none = make("p.nothing", { hidden: true }, "No such event.");
  card.show(list, none, more);
  /** What was asked for last, without its place, and what is shown. */
  let wanted = "";
  let shown: { of: string; events: Event[]; next: string | null } = { of: "", events: [], next: null };
  /** @returns the answer; nothing where something else was asked for meanwhile */
  const get = async (place = "") => {
    const own = wanted;
    const answer = await ask.get<TimeLine>(`${own}&limit=${SHOWN}${place}`);
    return own === wanted ? answer : undefined;
  };
  /** What a file has, whether it is shown or not. */
  const readAll = async (): Promise<Event[]> => {
    const own = wanted;
    const events: Event[] = [];
    let next: string | null = "";
    while (next !== null && events.length < MOST) {
      const place: string = next && `&before=${next}`;
      const answer: TimeLine | undefined = await ask.get<TimeLine>(`${own}&limit=${AT_ONCE}${place}`);
      events.push(...(answer?.data ?? []));
      next = answer?.next ?? null;
    }
    isCut = next !== null;
    return events;
  };
  const draw = () => {
    const days = new Map<string, Event[]>();
    // They come by arrival. All is here that has happened since the oldest of them arrived.
    for (const event of shown.events.toSorted((one, other) => other.happened_at - one.happened_at)) {
      const day = dayOf(event.happened_at);
      days.set(day, [...(days.get(day) ?? []), event]);
    }
    const ofDay = ([day, events]: [string, Event[]]) =>
      make(
        "section",
        { "data-day": day },
        make("h3", longDay(events[0]!.happened_at)),
        make("ol", ...events.map(makeEvent)),
      );
    replace(list, ...[...days].map(ofDay));
    card.hold(COLUMNS, shown.events, readAll);
    more.hidden = shown.next === null;
    none.hidden = shown.events.length > 0;
  };
  const readOlder = async () => {
    const { next } = shown;
    const answer = await get(`&before=${next}`);
    if (answer === undefined || next !== shown.next) return;
    shown = { ...shown, events: [...shown.events, ...answer.data], next: answer.next };
    draw();
  };
  return {
    element: card.element,
    /** Older events that are shown stay so, behind the newest ones as they are now. */
    async load(state: State): Promise<void> {
      wanted = `${path}?${new URLSearchParams(filtersOf({ ...state, account: undefined }))}`;
      const answer = await get();
      if (answer === undefined) return;
      const { data, next } = answer;
      const known = shown.of === wanted ? shown.events : [];
      const at = known.findIndex(({ id }) => id === data.at(-1)?.id);
      const older = at < 0 ? [] : known.slice(at + 1);
      const events = [...data, ...older];
      const isSame = events.length === known.length && events.every(({ id }, at) => id === known[at]!.id);
      shown = { of: wanted, events, next: older.length > 0 ? shown.next : next };
      if (!isSame || events.length === 0) draw();
    },
  };
};
