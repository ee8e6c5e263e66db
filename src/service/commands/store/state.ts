import { listWorkspaces } from "../../access/token-store.js";
import { DEFAULT_WORKSPACE } from "../../base/exact-text.js";
import type { Database } from "../../database/database.js";
import { createGeneration } from "../../database/generation.js";
import { createTombstones } from "../../deletion/tombstones.js";
import type { StoreOptions } from "../../ingest/store/store.js";

/** What a command that stores must know of the database, read anew where the generation has moved: as a running service does. */
export const readState = async ({
  query,
}: Database): Promise<Pick<StoreOptions, "generation" | "erased" | "isServed">> => {
  const erased = createTombstones(query);
  let workspaces: string[] = [];
  const generation = await createGeneration(query, {
    moved: async () => {
      workspaces = await listWorkspaces(query);
      await erased.load();
    },
  });
  // That one is never deleted.
  return {
    generation,
    erased,
    isServed: (workspace) => workspace === DEFAULT_WORKSPACE || workspaces.includes(workspace),
  };
};
