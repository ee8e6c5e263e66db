import { link, make, replace } from "../base/elements.js";
import { brief, number, since } from "../base/format.js";
import { linkToAccount } from "../base/route.js";
import { createTile } from "../cards/card.js";
import { createLeftOut } from "../cards/left-out.js";
import { createPersonal } from "../cards/personal.js";
import { createTimeLine } from "../cards/time-line.js";
import { createTraits } from "../cards/traits.js";
import { createView, toldOf } from "./view.js";

const PAGE = 200;

/** One contact: who it is, and all that it did. */
export const createContact = (main, ask, id) => {
  const tiles = {
    events: createTile("events", "Events"),
    first: createTile("first", "First seen"),
    last: createTile("last", "Last seen"),
  };
  const traits = createTraits();
  const accounts = make("p.memberships", {});
  const leftOut = createLeftOut(ask);
  const line = createTimeLine(ask, `/v2/numbers/contacts/${id}/events`, { limit: PAGE });
  const personal = createPersonal("contact", id, (text) => view.end(text));
  const when = (tile, time) =>
    tile.draw(time === null ? "never" : since(time), time === null ? "" : brief.format(time));
  const load = async (state, isNow) => {
    const query = `/v2/numbers/contacts/${id}`;
    const answer = await ask.get(query);
    if (answer === undefined || !isNow()) return undefined;
    const { memberships, name, events } = answer;
    tiles.events.draw(number(events));
    when(tiles.first, answer.first_seen_at);
    when(tiles.last, answer.last_seen_at);
    traits.draw(answer);
    const links = memberships.data.flatMap((one, at) => [
      ...(at > 0 ? [", "] : []),
      link(linkToAccount(one), one.name),
    ]);
    const { total, data } = memberships;
    const more = total > data.length ? [`, and to ${number(total - data.length)} more`] : [];
    replace(accounts, total === 0 ? "Belongs to no account." : "Belongs to ", ...links, ...more);
    personal.draw(answer, await leftOut.load());
    if (!isNow()) return undefined;
    await line.load(state);
    return { title: name, query, told: toldOf(Date.now()) };
  };
  const view = createView(main, "Contact", {
    hasTimes: false,
    load,
    above: [make("p.back", {}, link("/accounts", "Accounts"))],
    parts: [
      ...[traits.element, accounts],
      make("dl.tiles-row.four", {}, ...Object.values(tiles).map(({ element }) => element)),
      make("div.cards", {}, line.element, personal.element),
    ],
  });
  return view;
};
