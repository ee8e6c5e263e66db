import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { renew } from "../../../src/service/numbers/sums/renewal/renew.js";
import { step } from "../../../src/service/numbers/sums/step.js";

/** Makes the sums of a workspace as the follower does, until there is nothing more to do; all events are settled. */
export const followSums = async (database: Database, workspace = "default", rows?: number): Promise<void> => {
  for (let more = true; more; ) {
    const isBehind = await step(database, workspace, idAt(Date.now() + 1), rows);
    more = (await renew(database, workspace, { ...(rows && { rows }), isCaughtUp: !isBehind })) || isBehind;
  }
};
