/** Milliseconds since the page began, by a clock that nobody can set (W3C, High Resolution Time). */
export const uptime = (): number => performance.now();

/** Resolves after so many milliseconds; without them, in the next task. */
export const pause = (ms?: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
