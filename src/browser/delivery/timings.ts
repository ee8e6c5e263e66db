/** All times and counts of the delivery, each once. Times are in milliseconds. */

/** A covered window gets no frame: an event waits for one no longer than this. */
export const FRAME_MS = 100;

/** Requests at once: enough to drain a back-log, and two of a host's six sockets are left to the page. */
export const PARALLEL = 4;
/** A request that is open for longer is slow, and a service that has answered none for longer may hang. */
export const SLOW_MS = 2_000;
/**
 * Requests at once where the service does not answer, and while such a page is left. Chromium never ends the preflight of a
 * request that was given up: each one holds one of the six sockets of HTTP/1.1, and the next page needs one, too.
 */
export const PARALLEL_UNANSWERED = 1;
export const PARALLEL_UNANSWERED_OUT = 2;
/** Requests at once while the page is out of sight: a browser process has 256 in all. */
export const PARALLEL_OUT = 32;
/** Bytes with keepalive: of the 65,536 of a document, some are left to the page. */
export const KEEPALIVE_BYTES = 61_440;
/** A request without an answer after this time is given up. */
export const TIMEOUT_MS = 15_000;
/** A body that has not ended so long after the headers is cut off. */
export const BODY_MS = 500;

/** For so long a document sends what it has tracked without its turn: a healthy service answers sooner. */
export const YOUNG_MS = 1_000;
/** The first lease: what is longer than the time above is the margin for clocks and for writes that are on their way. */
export const FIRST_LEASE_MS = 2_000;
/** A request that is open for this time has a long lease written for its events. */
export const PROTECTED_MS = 500;
/** The long lease, from the beginning of a request: no request lasts longer. */
export const LONG_LEASE_MS = 20_000;

/** Who wants the turn reads it so long after it has written it: after 500 ms no two of four tabs took the same, after 300 ms 7 % did. */
export const SETTLE_MS = 600;
/** For so long before its end nothing begins in a turn: another page may have it sooner, by its clock. */
export const LATE_MS = 1_000;
/** While it is another one's turn, it is asked for again after this time. */
export const REFUSED_MS = 500;
/** A turn holds for this time after the last event. */
export const TURN_MS = 5_000;
/** After this time the browser has told of what others have removed. */
export const TOLD_MS = 6_000;
/** An event of another document that is still there after this time needs help. */
export const LOOK_MS = 3_000;

/** A batch that fails again, although another request has passed, goes on in so many parts. */
export const PARTS = 8;

/** If the page of a probe is gone, others may probe after this time: that of a request. */
export const PROBE_MS = TIMEOUT_MS;
/** Even where there is a reason not to wait, a probe follows the last one only after this time. */
export const URGENT_MS = 8_000;
/** Each document waits up to this much longer, so that one of them probes and the others are told in time. */
export const SPREAD_MS = 1_000;
/** A service that refuses every event is asked again after this time. */
export const PAUSE_MS = 300_000;
/** Once so many different events are refused, the configuration is wrong, and not the events. */
export const REFUSALS = 8;
/** The back-off of a suspect stays short for so many tries. */
export const SUSPECT_TRIES = 8;
/** Tries that an event counts for whose proof of identity does not hold: it is tried again in minutes, or with a new proof. */
export const UNPROVEN_TRIES = 16;
/** While a success is younger than the first, the service is well, and its back-off no longer than the second. */
export const WELL_MS = 30_000;
export const WELL_CEILING_MS = 2_000;

/** A request open for this long when the page is left says that the service may hang. */
export const HANGS_MS = 3_000;

/** Bounds, where the options name none. */
export const MAX_EVENTS = 1_000;
export const MAX_BYTES = 1_048_576;
export const MAX_AGE_MS = 604_800_000;
/** The last places of the queue are for names that are tracked seldom: so many, or a tenth. */
export const RESERVE = 100;
/** Of one name as many may be tracked at once as may wait, and then one in this time; none in an outage. */
export const TRICKLE_MS = 1_000;
/** So many names are counted. From then on all of them count as one: a page that makes up names must not fill memory and queue. */
export const MAX_NAMES = 1_000;
/** Bytes of one event: services commonly refuse more than that, ours by default. */
export const MAX_SIZE = 262_144;
/** The longest age that an option may ask for, 30 days: a service must know when no late event can come any more. */
export const LONGEST_AGE_MS = 2_592_000_000;
/** Bounds of events without a contact. They may never be sent, so few are kept, and for a day. */
export const MAX_UNADDRESSED = 100;
export const MAX_UNADDRESSED_AGE_MS = 86_400_000;

/** How often `flush` looks whether anything is still under way. */
export const FLUSH_LOOK_MS = 50;
