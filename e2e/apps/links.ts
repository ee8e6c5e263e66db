/** The links that every app has, by the names that the tests click. `/old` is where a page has moved to `/new`. */
export const LINKS = {
  home: "/",
  about: "/about",
  list: "/list?page=1",
  next: "/list?page=2",
  old: "/old",
};
