import { decodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";

/** Names of events that are counted in each workspace, and those of them that are told: who has the token may send any name. */
const [MAX_NAMES, MAX_TOLD] = [200, 20];
/** Characters of a name: of those that begin alike, all are one. */
const MAX_NAME = 64;
/** A count at which all of them are halved, so that what came most long ago does not for ever. */
const MAX_COUNT = 1_000_000;
/** Newest events of a workspace that are looked at when the service begins. */
const NEWEST = 1_000;

interface Seen {
  at: number;
  count: number;
}

/** How long ago the last event came; `event_uid` is empty for all names together. */
export interface Age {
  workspace: string;
  event_uid: string;
  seconds: number;
}

/** When events came last, by workspace and by the names that come most, as this process has seen it. */
export const createEventAges = () => {
  const workspaces = new Map<string, { at: number; names: Map<string, Seen> }>();

  const seen = (workspace: string, whole: string, at = Date.now()): void => {
    const name = whole.slice(0, MAX_NAME);
    const own = workspaces.get(workspace) ?? { at, names: new Map<string, Seen>() };
    workspaces.set(workspace, own);
    own.at = Math.max(own.at, at);
    const one = own.names.get(name);
    if (one === undefined) {
      // A new name takes the place of the one that came least, with its count: one that comes often stays.
      const count = own.names.size < MAX_NAMES ? 0 : dropLeast(own.names);
      own.names.set(name, { at, count: count + 1 });
      return;
    }
    one.at = Math.max(one.at, at);
    one.count += 1;
    if (one.count >= MAX_COUNT) for (const each of own.names.values()) each.count /= 2;
  };
  return {
    seen,
    /** Learns from the database what came before this process began. */
    load: async (query: Query, names: readonly string[]): Promise<void> => {
      for (const workspace of names) {
        const rows = await query<{ event_uid: string; received_at: unknown }>(
          "SELECT event_uid, received_at FROM events WHERE workspace = $1 ORDER BY id DESC LIMIT $2",
          [workspace, NEWEST],
        );
        for (const { event_uid, received_at } of rows) seen(workspace, decodeText(event_uid), Number(received_at));
      }
    },
    list: (now = Date.now()): Age[] =>
      [...workspaces].flatMap(([workspace, { at, names }]) => {
        const age = (event_uid: string, at: number) => ({
          workspace,
          event_uid,
          seconds: Math.max(0, now - at) / 1_000,
        });
        const most = [...names].sort(([, a], [, b]) => b.count - a.count).slice(0, MAX_TOLD);
        return [age("", at), ...most.map(([name, { at }]) => age(name, at))];
      }),
  };
};

const dropLeast = (names: Map<string, Seen>): number => {
  const [name, { count }] = [...names].reduce((a, b) => (b[1].count < a[1].count ? b : a));
  names.delete(name);
  return count;
};
