import type { Query } from "../database.js";
import * as tables from "./001-tables.js";
import * as eventsByContact from "./002-events-by-contact.js";
import * as recordsOfEvents from "./003-records-of-events.js";

/**
 * The versions of the schema, oldest first. One that was released is never changed: the next change is a migration
 * more. Each must succeed, too, where an earlier attempt ended half-way: not every database takes back what a
 * transaction did to its tables.
 */
export const MIGRATIONS: readonly { name: string; up(query: Query): Promise<void> }[] = [
  { name: "001-tables", up: tables.up },
  { name: "002-events-by-contact", up: eventsByContact.up },
  { name: "003-records-of-events", up: recordsOfEvents.up },
];
