/** Fills the site's storage to the last character, in a row of the page's own, `filler`. Runs in the page. */
export const fillStorage = (): void => {
  const filler = (length: number) => {
    try {
      localStorage.setItem("filler", (localStorage.getItem("filler") ?? "") + "x".repeat(length));
      return true;
    } catch {
      return false;
    }
  };
  for (let length = 1 << 22; length >= 1; length >>= 1) while (filler(length));
};
