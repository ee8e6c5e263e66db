/** When the panel looks anew: twice a second and after each change, but never so often that it takes the page's time. */

/** Between two looks, in milliseconds. */
const LOOK_MS = 500;
/** A look that took a while, because much is stored, is followed by a rest so many times as long, but not longer than this. */
const REST = 20;
const LONGEST_REST_MS = 2_000;

/**
 * @param look looks at everything; the first time at once
 * @returns asks for a look soon, and ends them
 */
export const createLooks = (look: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let restUntil = 0;

  const plan = (delay: number): void => {
    const at = Math.max(performance.now() + delay, restUntil);
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(run, at - performance.now());
  };
  const run = (): void => {
    const begun = performance.now();
    dueAt = Number.POSITIVE_INFINITY;
    look();
    restUntil = performance.now() + Math.min(REST * (performance.now() - begun), LONGEST_REST_MS);
    plan(LOOK_MS);
  };

  return { start: run, soon: (): void => plan(0), end: (): void => clearTimeout(timer) };
};
