/** An event on its way into the database. */
export interface NewEvent {
  /** Whose data it is. */
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  eventUid: string;
  /** JSON text of an object, stored as it is. */
  params: string;
  /** The caller's id of the event: a second event of the contact with it is a repeat and not stored. */
  stamp: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** Epoch milliseconds, as the caller says. */
  occurredAt: number | undefined;
}

/** An event read back. */
export interface StoredEvent {
  /** A UUID; rises with the time of storing, see `event-id.ts`. */
  id: string;
  /** Epoch milliseconds. */
  receivedAt: number;
  contactUid: string;
  eventUid: string;
  /** JSON text, as it was sent. */
  params: string;
}

/** The event as JSON; `params` stand in it letter by letter as they were sent. */
export const eventJson = ({ id, receivedAt, contactUid, eventUid, params }: StoredEvent): string =>
  `{"id":"${id}","received_at":${receivedAt},"contact_uid":${JSON.stringify(contactUid)},` +
  `"event_uid":${JSON.stringify(eventUid)},"params":${params}}`;
