import { BOUNDS } from "../../../src/service/database/event-id.js";

/** What is committed is settled: for tests whose processes are none but this one. */
export const AT_ONCE = { ...BOUNDS, settled: 1, reread: 50 };

/**
 * As in production, in less time: what waits for a second is refused, and seen. A commit has seconds left, since a process that
 * compiles the routes of a service sends it as late as that on a busy machine.
 */
export const SHORT = { first: 1_000, last: 1_500, settled: 4_000, reread: 100 };
