/** When the panel looks anew: twice a second and after each change, but never so often that it takes the page's time. */
/** Between two looks, in milliseconds. */
const LOOK_MS = 500;
/** A look that took a while, because much is stored, is followed by a rest so many times as long. */
const REST = 10;

/**
 * @param look looks at everything; the first time at once
 * @returns asks for a look soon, and ends them
 */
export const createLooks = (look: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSoon = false;
  let rest = 0;

  const run = (): void => {
    const begun = performance.now();
    isSoon = false;
    look();
    rest = REST * (performance.now() - begun);
    timer = setTimeout(run, Math.max(LOOK_MS, rest));
  };
  const soon = (): void => {
    if (isSoon) return;
    isSoon = true;
    clearTimeout(timer);
    timer = setTimeout(run, rest);
  };
  return { start: run, soon, end: (): void => clearTimeout(timer) };
};
