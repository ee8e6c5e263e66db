/** What the service's look-ups answer, typed as far as it is known and open to more members. */

/** A stage of an account or contact. */
export interface Stage {
  id?: string;
  name?: string;
  [member: string]: unknown;
}

/** References to other records. */
export interface References {
  object?: string;
  data?: { id: string; [member: string]: unknown }[];
  [member: string]: unknown;
}

/** Metrics of an account or a contact. */
export interface Metrics {
  /** As it was set, or told by the activity. */
  health?: number | string;
  /** Of a health that nobody has set, what tells it: such as `activity: good`. */
  health_source?: string;
  [metric: string]: unknown;
}

/** An account. The interface promises no member, so that all are optional; those named are what deployments send. */
export interface Account {
  object?: "account";
  id?: string;
  /** The `uid` that the caller supplied. */
  unique_id?: string;
  /** Epoch seconds. */
  created_at?: number;
  /** Custom attributes. */
  data?: Record<string, unknown>;
  stage?: Stage | null;
  salesmachine?: Metrics;
  contacts?: References;
  [member: string]: unknown;
}

/** A contact. The interface promises no member, so that all are optional; those named are what deployments send. */
export interface Contact {
  object?: "contact";
  id?: string;
  /** The `uid` that the caller supplied. */
  unique_id?: string;
  /** Epoch seconds. */
  created_at?: number;
  archived?: boolean;
  /** Custom attributes. */
  data?: Record<string, unknown>;
  stage?: Stage | null;
  salesmachine?: Metrics;
  accounts?: References;
  [member: string]: unknown;
}

/** A user. Only `id` is verified at run time; the other members are as the interface names them. */
export interface User {
  object: "user";
  id: string;
  /** Epoch seconds. */
  created_at: number;
  email: string;
  name: string;
  /** `admin` is the one value known. */
  role: "admin" | (string & {});
  enabled: boolean;
  [member: string]: unknown;
}

/** Where a page stands in the list. */
export interface Pagination {
  /** Users in all. */
  total: number;
  offset: number;
  limit: number;
  /** Users on this page. */
  count: number;
  /** Address of the next page, as the service names it; null, empty or absent on the last one. */
  next?: string | null;
  [member: string]: unknown;
}

/** One page of users. */
export interface UserPage {
  object: "user.list";
  data: User[];
  pagination: Pagination;
  [member: string]: unknown;
}

/** A stored event. The vendor's interface has no such look-up: it is of tracklet's own service. */
export interface StoredEvent {
  object: "event";
  /** A UUID; sorts by the time of storing. */
  id: string;
  /** When the service received it, in milliseconds since 1970. */
  received_at: number;
  /** `params.occurred_at`, where it is plausible: from 30 days before its receipt to a day after it. */
  occurred_at: number | null;
  contact_uid: string;
  account_uid: string | null;
  event_uid: string;
  params: Record<string, unknown>;
  /** Whether all events before it are known: only then may it be given as `after`. */
  settled: boolean;
  [member: string]: unknown;
}

/** One page of events, the oldest first. */
export interface EventPage {
  object: "event.list";
  data: StoredEvent[];
  pagination: {
    /** Events that this page could hold: fewer than were asked for where they are large. One with fewer is the last. */
    limit: number;
    count: number;
    /** Address of what comes behind the settled events of this page, now or later. */
    next: string;
    [member: string]: unknown;
  };
  [member: string]: unknown;
}
