import { decodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";

/** Newest events of a workspace that are looked at when the service begins. */
const NEWEST = 1_000;

/** How long ago the last event came; `event_uid` is empty for all names together. */
export interface Age {
  workspace: string;
  event_uid: string;
  seconds: number;
}

/**
 * When events came last, by workspace and by name, as this process has seen it.
 *
 * @param watched the names that are told each by itself: the operator lists them, for who has the public token may send any name
 */
export const createEventAges = (watched: readonly string[]) => {
  const workspaces = new Map<string, Map<string, number>>();

  const seen = (workspace: string, name: string, at = Date.now()): void => {
    const last = workspaces.get(workspace) ?? new Map<string, number>();
    workspaces.set(workspace, last);
    for (const key of watched.includes(name) ? ["", name] : [""]) last.set(key, Math.max(last.get(key) ?? at, at));
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
      [...workspaces].flatMap(([workspace, last]) =>
        [...last].map(([event_uid, at]) => ({ workspace, event_uid, seconds: Math.max(0, now - at) / 1_000 })),
      ),
  };
};
