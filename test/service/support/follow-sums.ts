import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { turnOf } from "../../../src/service/days/follower.js";

/** Counts a workspace as the follower does, until there is nothing more to do; all events are settled. */
export const followSums = async (database: Database, workspace = "default", rows?: number): Promise<void> => {
  while (await turnOf(database, workspace, idAt(Date.now() + 1), rows));
};
