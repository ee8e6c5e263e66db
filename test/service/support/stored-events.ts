import { openDatabase } from "../../../src/service/database/open-database.js";
import { exportRows } from "../../../src/service/records/export.js";
import type { Place } from "./places.js";

/** Every event of the default workspace, by its id, whether it is settled or not. */
export const storedEvents = async (place: Place, eventUid?: string) => {
  const { query, close } = await openDatabase(place, "tables");
  const events: { event_uid: string; params: Record<string, unknown> }[] = [];
  for await (const { event_uid, params } of exportRows(query, { table: "events", workspace: "default", eventUid }))
    events.push({ event_uid: String(event_uid), params: JSON.parse((params as { json: string }).json) });
  await close();
  return events;
};
