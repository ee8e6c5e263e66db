import { availableParallelism, loadavg } from "node:os";

/** The load average of the last minute for each processor, over which other work is under way before we begin. */
const BEFORE = 0.5;
/** The same while we measure: over it, more is ready to run than there are processors, so that answers come late. */
const MEANWHILE = 1.5;
const LOOK_MS = 10_000;

const loadOfEach = (): number => loadavg()[0]! / availableParallelism();

/** Watches whether this machine is quiet enough to measure on. `read` tells the load average for each processor. */
export const watchLoad = (read: () => number = loadOfEach) => {
  const before = read();
  let highest = 0;
  const look = (): void => {
    highest = Math.max(highest, read());
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return {
    /** Why no run should begin now, if there is a reason. */
    busyBefore: (): string | undefined =>
      before > BEFORE ? `the load average is ${before.toFixed(1)} for each processor, over ${BEFORE}` : undefined,
    /** Stops; tells why what was measured since is no figure, if there is a reason. */
    busyMeanwhile: (): string | undefined => {
      clearInterval(timer);
      look();
      return highest > MEANWHILE
        ? `the load average rose to ${highest.toFixed(1)} for each processor, over ${MEANWHILE}`
        : undefined;
    },
  };
};
