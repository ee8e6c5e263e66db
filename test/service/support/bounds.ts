import { BOUNDS } from "../../../src/service/database/settled.js";

/** What is committed is settled: for tests whose processes are none but this one. */
export const AT_ONCE = { ...BOUNDS, settled: 1, reread: 50 };

/** As in production, in far less time: what waits for a second is refused, and seen. */
export const SHORT = { first: 1_000, last: 1_500, settled: 2_000, reread: 100 };
