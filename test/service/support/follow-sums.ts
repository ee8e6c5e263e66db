import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { renew, staleHours } from "../../../src/service/numbers/renew.js";
import { step } from "../../../src/service/numbers/sums.js";

/** Makes the sums of a workspace as the follower does, until there is nothing more to do; all events are settled. */
export const followSums = async (database: Database, workspace = "default"): Promise<void> => {
  do {
    for (const hour of await staleHours(database.query, workspace)) await renew(database, workspace, hour);
    while (await step(database, workspace, idAt(Date.now() + 1)));
  } while ((await staleHours(database.query, workspace)).length > 0);
};
