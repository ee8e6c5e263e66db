/** What the demo itself remembers from page to page. A browser that stores nothing only makes it forgetful. */

export const recall = (key) => {
  try {
    return JSON.parse(localStorage.getItem(`demo.${key}`));
  } catch {
    return null;
  }
};

export const remember = (key, value) => {
  try {
    if (value === null) localStorage.removeItem(`demo.${key}`);
    else localStorage.setItem(`demo.${key}`, JSON.stringify(value));
  } catch {
    // Storage is denied or full.
  }
};
