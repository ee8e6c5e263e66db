import { createAsk } from "./ask.js";
import { find } from "./elements.js";
import { showLive } from "./live/show.js";
import { showNumbers } from "./numbers.js";

/* The page `/` of the service: the numbers and the arrivals, for whoever has the access token. */

const main = find("main");
const views = new Map();

const open = () => {
  const name = location.hash === "#live" ? "live" : "numbers";
  for (const link of document.querySelectorAll("[data-nav] a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  find("[data-nav]").hidden = !ask.open();
  if (find("[data-nav]").hidden) return show();
  if (!views.has(name)) views.set(name, VIEWS[name]());
  show(name);
};

const show = (shown) => {
  for (const [name, view] of views) view.hidden = name !== shown;
  document.title = `${shown === "live" ? "Live" : "Numbers"} · tracklet`;
};

const VIEWS = {
  numbers: () => showNumbers(main, ask),
  live: () =>
    showLive(main, async (query) => {
      const answer = await ask.get(`/v2/events?${query}`);
      if (answer === undefined) throw new Error("the token is wrong");
      return answer.data;
    }).view,
};

const ask = createAsk({
  opened: open,
  closed: () => {
    for (const view of views.values()) view.remove();
    views.clear();
    open();
  },
});

// To be dragged, not to be followed: it is for other pages.
const bookmark = find("[data-bookmark]");
bookmark.href = `javascript:void import("${new URL("/inspector.js", location.href)}?" + Date.now())`;
bookmark.addEventListener("click", (event) => event.preventDefault());

addEventListener("hashchange", open);
open();
