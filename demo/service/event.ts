/** An event on its way into the database. */
export interface NewEvent {
  contactUid: string;
  eventUid: string;
  /** JSON text of an object, stored as it is. */
  params: string;
  /** The caller's id of the event: a second event with it is a repeat and not stored. */
  stamp: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
}

/** An event read back. */
export interface StoredEvent {
  /** Rises in the order of the commits; gaps are usual. */
  id: number;
  /** Epoch milliseconds. */
  receivedAt: number;
  contactUid: string;
  eventUid: string;
  /** JSON text, as it was sent. */
  params: string;
}

/** The event as JSON; `params` stand in it letter by letter as they were sent. */
export const eventJson = ({ id, receivedAt, contactUid, eventUid, params }: StoredEvent): string =>
  `{"id":${id},"received_at":${receivedAt},"contact_uid":${JSON.stringify(contactUid)},` +
  `"event_uid":${JSON.stringify(eventUid)},"params":${params}}`;
