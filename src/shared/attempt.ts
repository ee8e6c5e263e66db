/** What `run` gives, or nothing where it throws. */
export const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run();
  } catch {
    // Nothing.
  }
};
