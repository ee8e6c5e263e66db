/** Milliseconds between two signs of life. */
const TELL_MS = 5_000;

/**
 * Says what is being done, and while it takes long how long it has taken.
 *
 * @template Result
 * @param {string} what
 * @param {() => Promise<Result>} run
 * @returns {Promise<Result>}
 */
export const withProgress = async (what, run) => {
  const begun = performance.now();
  const seconds = () => `${Math.round((performance.now() - begun) / 1_000)} s`;
  console.log(`${what} …`);
  const timer = setInterval(() => console.log(`  … ${seconds()}`), TELL_MS);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
};
