import { availableParallelism, loadavg } from "node:os";
import { cpuSeconds, machineSeconds } from "../../../test/support/processor-time.js";

/** The load average of the last minute for each processor, over which other work is under way before we begin. */
const BEFORE = 0.5;
/** The part of the processors that others may use for a minute while we measure: over it, answers may come late. */
const MEANWHILE = 0.25;
const LOOK_MS = 60_000;

const loadOfEach = (): number => loadavg()[0]! / availableParallelism();

/** Seconds that the processors have computed so far for others: not for this process, nor for those that it has started. */
const secondsOfOthers = (): number => machineSeconds().busy - cpuSeconds(process.pid);

/** Watches whether this machine is quiet enough to measure on. */
export const watchLoad = ({ load = loadOfEach, others = secondsOfOthers } = {}) => {
  const before = load();
  let last = { at: Date.now(), seconds: others() };
  let highest = 0;
  const look = (): void => {
    const now = { at: Date.now(), seconds: others() };
    // What is shorter says little: a moment's work would be a large part of it.
    if (now.at - last.at < LOOK_MS) return;
    const share = (now.seconds - last.seconds) / ((now.at - last.at) / 1_000) / availableParallelism();
    highest = Math.max(highest, share);
    last = now;
  };
  const timer = setInterval(look, LOOK_MS).unref();
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  return {
    /** Why no run should begin now, if there is a reason. */
    busyBefore: (): string | undefined =>
      before > BEFORE ? `the load average is ${before.toFixed(1)} for each processor, over ${BEFORE}` : undefined,
    /** Stops; tells why what was measured since is no figure, if there is a reason. */
    busyMeanwhile: (): string | undefined => {
      clearInterval(timer);
      look();
      return highest > MEANWHILE
        ? `others used ${percent(highest)} of the processors for a minute, over ${percent(MEANWHILE)}`
        : undefined;
    },
  };
};
