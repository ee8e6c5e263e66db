/** Resolves after so many milliseconds; without them, in the next task. */
export const pause = (ms?: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
