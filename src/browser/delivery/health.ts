/**
 * What this page knows of the service, by answers alone. A clock that is set makes it wait a little more or less: all that is
 * decided so is decided again with the next answer.
 */
export const health = {
  /** When the service answered last, whatever it said, in epoch milliseconds. */
  answeredAt: 0,
  /** When the last request began that was accepted, in epoch milliseconds. */
  acceptedAt: 0,
  /** Events that were refused since. */
  refusals: 0,
  isPaused: false,
  /** The most events that it takes in one request, as each accepted one tells; 0 for ever where one did not, or several were refused. */
  most: 1,
};

/** A request that began then was accepted. */
export const accept = (beganAt: number): void => {
  health.refusals = 0;
  health.isPaused = false;
  health.acceptedAt = Math.max(health.acceptedAt, beganAt);
};
