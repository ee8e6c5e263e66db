import type { Place } from "../support/places.js";
import { spawnService } from "../support/service-process.js";

/** A service over a place, which refuses nobody for coming often. @param more of its environment */
export const spawnOver = ({ databaseUrl, dataFolder }: Place, more: Record<string, string> = {}) =>
  spawnService({
    TRACKLET_RATE_LIMIT: "0",
    ...(databaseUrl === undefined ? { TRACKLET_DATA: dataFolder } : { DATABASE_URL: databaseUrl }),
    ...more,
  });
