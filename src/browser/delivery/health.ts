/** What this page knows of the service, by answers alone. */
export const health = {
  /** When the service answered last, whatever it said, by a clock that nobody sets. */
  answeredAt: Number.NEGATIVE_INFINITY,
  /** When the last request began that was accepted; the same by a clock that nobody sets. */
  acceptedAt: 0,
  acceptedSince: Number.NEGATIVE_INFINITY,
  /** Events that were refused since. */
  refusals: 0,
  isPaused: false,
};

/** A request that began then was accepted. */
export const accept = (beganAt: number, openSince: number): void => {
  health.refusals = 0;
  health.isPaused = false;
  health.acceptedAt = Math.max(health.acceptedAt, beganAt);
  health.acceptedSince = Math.max(health.acceptedSince, openSince);
};
