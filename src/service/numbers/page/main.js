import { createAsk } from "./ask.js";
import { find } from "./base/elements.js";
import { readPath } from "./base/route.js";
import { createAccount } from "./views/account.js";
import { createAccounts } from "./views/accounts.js";
import { createContact } from "./views/contact.js";
import { createNumbers } from "./views/numbers.js";

/* The pages of the service, and the arrivals, for whoever has the access token. */

const VIEWS = { numbers: createNumbers, accounts: createAccounts, account: createAccount, contact: createContact };

const main = find("main");
const nav = find("nav.pages");
const live = find("[href$='#live']");
let shown;

/** The arrivals, with a file and a chart library of their own. */
const createLive = async () => {
  const { showLive } = await import("/numbers/live.js");
  const read = async (query) => {
    const answer = await ask.get(`/v2/events?${query}`);
    if (answer === undefined) throw new Error("the token is wrong");
    return answer.data;
  };
  const { view } = showLive(main, read);
  document.title = "Live · tracklet";
  return { show: () => {}, close: () => view.remove() };
};

const open = async () => {
  const { page, id } = readPath();
  const isLive = page === "live";
  for (const link of document.querySelectorAll("nav.pages a")) {
    const is = isLive ? link === live : link !== live && link.pathname === (id ? `/${page}s` : location.pathname);
    if (is) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  nav.hidden = !ask.open();
  if (nav.hidden) return;
  if (shown?.name !== page) {
    shown?.view.close();
    shown = undefined;
    shown = { name: page, view: isLive ? await createLive() : VIEWS[page](main, ask, id) };
  }
  await shown.view.show();
};

const ask = createAsk({
  opened: async () => {
    await open();
    // A token that is wrong is asked for again.
    if (shown !== undefined) main.focus({ preventScroll: true });
  },
  closed: () => {
    shown?.view.close();
    shown = undefined;
    open();
  },
});

// To be dragged, not to be followed: it is for other pages.
const bookmark = find("[data-bookmark]");
bookmark.href = `javascript:void import("${new URL("/inspector.js", location.href)}?" + Date.now())`;
bookmark.addEventListener("click", (event) => event.preventDefault());

addEventListener("hashchange", open);
open();
