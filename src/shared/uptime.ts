/** Milliseconds since the page began, by a clock that nobody can set (W3C, High Resolution Time). */
export const uptime = (): number => performance.now();
