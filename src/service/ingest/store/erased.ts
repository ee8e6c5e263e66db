import type { Generation } from "../../database/generation.js";
import type { NewEvent } from "./rows.js";

/* Who was erased, as whatever stores asks for it. */

/** A contact, and whose it is. */
export type Contact = Pick<NewEvent, "workspace" | "contactUid">;

/** Who was erased, and what of it is left out: see `person/tombstones.ts`. */
export interface Erased {
  /** When each of some contacts was erased; `undefined` of one that was not. */
  of(contacts: readonly Contact[]): Promise<(contact: Contact) => number | undefined>;
  /** Did an event occur before its contact was erased? */
  isBefore(event: Pick<NewEvent, "occurredAt" | "receivedAt" | "originId">, erasedAt: number): boolean;
}

/** What whatever stores must know. */
export interface AtGeneration {
  /** At which each transaction is committed; what is remembered is of it. */
  generation: Generation;
  erased: Erased;
}
