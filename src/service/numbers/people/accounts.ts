import type { Query } from "../../database/database.js";
import { MAX_ROWS } from "../count-keys.js";
import type { Asked } from "../spans.js";
import { countAccounts, countActiveMembers, countMembers, lastSeen } from "./count-accounts.js";
import { type Named, namesOf } from "./names.js";

/* The accounts of a time: a page of all, and those at the top. */

/** An account falls where it has lost so much of its events, and is not silent. */
const FALL = 0.25;

export const SORTS = ["name", "contacts", "active_contacts", "events", "change", "last_seen_at"] as const;
export const SHOWN = ["all", "falling", "silent"] as const;

export interface ListAsked {
  search: string;
  show: (typeof SHOWN)[number];
  sort: (typeof SORTS)[number];
  order: "asc" | "desc";
  offset: number;
  limit: number;
}

/** An account in the list. */
interface Listed extends Named {
  contacts: number;
  active_contacts: number;
  events: number;
  before: number;
  change: number;
  counts: number[];
  counts_before: number[];
  last_seen_at: number | null;
}

/** The accounts that were active in a time, or in the time before, with what they did. */
export const listAccounts = async (
  query: Query,
  asked: Asked,
  { search, show, sort, order, offset, limit }: ListAsked,
) => {
  const counted = await countAccounts(query, asked);
  const ids = [...counted.keys()];
  const [names, members, active, seen] = await Promise.all([
    namesOf(query, "account", ids),
    countMembers(query, ids),
    countActiveMembers(query, asked, ids),
    lastSeen(query, asked, ids),
  ]);
  const all = [...counted].map(([id, { counts, counts_before }]): Listed => {
    const [events, before] = [counts, counts_before].map((of) => of.reduce((sum, one) => sum + one, 0)) as [
      number,
      number,
    ];
    return {
      ...(names.get(id) ?? { id, unique_id: id, name: id }),
      ...{ contacts: members.get(id) ?? 0, active_contacts: active.get(id) ?? 0 },
      ...{ events, before, change: events - before, counts, counts_before, last_seen_at: seen.get(id) ?? null },
    };
  });
  const isShown = {
    all: ({ events }: Listed) => events > 0,
    silent: ({ events }: Listed) => events === 0,
    falling: ({ events, before }: Listed) => events > 0 && events <= before * (1 - FALL),
  };
  const sought = search.toLowerCase();
  const found = all
    .filter(isShown[show])
    .filter(({ name, unique_id }) => [name, unique_id].some((text) => text.toLowerCase().includes(sought)));
  const sign = order === "asc" ? 1 : -1;
  const compare = (a: Listed, b: Listed) =>
    sort === "name" ? a.name.localeCompare(b.name, "en") : Number(a[sort]) - Number(b[sort]);
  found.sort((a, b) => sign * compare(a, b) || (a.id < b.id ? -1 : 1));
  const count = (which: (one: Listed) => boolean) => all.filter(which).length;
  return {
    ...{ active: count(isShown.all), falling: count(isShown.falling), silent: count(isShown.silent) },
    ...{ total: found.length, offset, data: found.slice(offset, offset + limit) },
  };
};

/** The accounts that do most, and those that have lost most events against the time before. */
export const busiestAccounts = async (query: Query, { workspace, steps, before }: Asked) => {
  const whole = { workspace, steps: [steps[0]!, steps.at(-1)!], before: [before[0]!, before.at(-1)!] };
  const counted = [...(await countAccounts(query, whole))].map(([id, { counts, counts_before }]) => ({
    ...{ id, events: counts[0]!, before: counts_before[0]! },
  }));
  const busiest = counted.filter(({ events }) => events > 0).sort((a, b) => b.events - a.events);
  const fell = counted
    .filter((one) => one.events < one.before)
    .sort((a, b) => a.events - a.before - (b.events - b.before));
  const total = (of: "events" | "before") => counted.reduce((sum, one) => sum + one[of], 0);
  const shown = [busiest, fell].map((all) => all.slice(0, MAX_ROWS));
  const names = await namesOf(query, "account", [...new Set(shown.flat().map(({ id }) => id))]);
  const named = ({ id, ...one }: (typeof counted)[number]) => ({
    ...{ id, key: names.get(id)?.unique_id ?? id, name: names.get(id)?.name ?? id, ...one },
  });
  const [most, lost] = shown.map((all) => all.map(named)) as [ReturnType<typeof named>[], ReturnType<typeof named>[]];
  return { busiest: { total: total("events"), before: total("before"), data: most }, fell: lost };
};
