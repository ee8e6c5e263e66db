/** 2000-01-01T00:00:00Z: before it no page had tracked anything. */
export const EARLIEST = 946_684_800_000;
/** Milliseconds that a clock may be ahead. */
export const AHEAD = 86_400_000;

/** The time that a caller gives, in epoch milliseconds, where it is plausible; else what stands in the params is left. */
export const plausible = (time: unknown, receivedAt: number): number | undefined =>
  Number.isSafeInteger(time) && (time as number) >= EARLIEST && (time as number) <= receivedAt + AHEAD
    ? (time as number)
    : undefined;
