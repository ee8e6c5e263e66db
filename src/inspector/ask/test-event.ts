/** Sends an event that says of itself that it is a test, the whole way. */
import { uuid } from "../../shared/uuid.js";
import { globalOf } from "../watch/tags.js";

/** By this name the numbers tell it apart. */
export const TEST = "tracklet_test";

/** Stamped, so that a repeat is dropped; of a source of its own, so that no loss is counted. */
export const sendTest = (name: string): void =>
  void globalOf(name)?.push([
    "track",
    TEST,
    {
      display_name: "Test event of the inspector",
      event_id: uuid(),
      event_source: uuid(),
      event_seq: 1,
      occurred_at: Date.now(),
    },
  ]);
