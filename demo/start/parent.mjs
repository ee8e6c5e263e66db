/** Milliseconds between two looks at who this process's parent is. */
const LOOK_MS = 250;

/**
 * Calls `end` once the process that has started this one is gone. npm passes a signal on to the shell between the two, which
 * ends without telling anybody.
 *
 * @param {() => void} end
 */
export const whenOrphaned = (end) => {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
};
