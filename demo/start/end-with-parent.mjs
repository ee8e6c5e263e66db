/**
 * Loaded into the service's process before the service: ends it as a signal would when the demo is gone, even where that
 * was killed and could tell nobody. Its input is a pipe that the demo holds open.
 */
process.stdin.once("end", () => process.kill(process.pid, "SIGTERM"));
process.stdin.resume();
