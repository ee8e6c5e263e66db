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
  let isSoon = false;
  let restUntil = 0;

  const run = (): void => {
    const begun = performance.now();
    isSoon = false;
    look();
    restUntil = performance.now() + Math.min(REST * (performance.now() - begun), LONGEST_REST_MS);
    plan(Math.max(LOOK_MS, restUntil - performance.now()));
  };
  const plan = (delay: number): void => {
    clearTimeout(timer);
    timer = setTimeout(run, delay);
  };
  const soon = (): void => {
    if (isSoon) return;
    isSoon = true;
    plan(restUntil - performance.now());
  };
  return { start: run, soon, end: (): void => clearTimeout(timer) };
};
