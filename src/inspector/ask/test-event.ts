/** Sends an event that says of itself that it is a test, the whole way. */
import { uuid } from "../../shared/uuid.js";
import { globalOf } from "../watch/tags.js";

/** By this name the numbers tell it apart. */
const TEST = "tracklet_test";

/** Stamped, so that a repeat is dropped. */
export const sendTest = (name: string): void =>
  void globalOf(name)?.push(["track", TEST, { display_name: "Test event of the inspector", event_id: uuid() }]);
