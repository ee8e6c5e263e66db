import { createAsk } from "./ask.js";
import { find } from "./elements.js";
import { showNumbers } from "./numbers.js";

/* The page `/` of the service: the numbers for whoever has the access token, and the arrivals where no other machine can see them. */

const main = find("main");
const views = new Map();

const open = async () => {
  const name = location.hash === "#live" && !find("[data-nav]").hidden ? "live" : "numbers";
  for (const link of document.querySelectorAll("[data-nav] a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name === "numbers" && !ask.open()) return show();
  if (!views.has(name)) views.set(name, name === "live" ? await showLive(main) : showNumbers(main, ask));
  show(name);
};

const show = (shown) => {
  for (const [name, view] of views) view.hidden = name !== shown;
  document.title = `${shown === "live" ? "Live" : "Numbers"} · tracklet`;
};

/** Its script looks for its elements at once. */
const showLive = async (main) => {
  const { makeLive } = await import("./live.js");
  const view = makeLive();
  main.append(view);
  await import("../../../../demo/site/assets/live.js");
  return view;
};

const ask = createAsk({
  opened: open,
  closed: () => {
    views.get("numbers")?.remove();
    views.delete("numbers");
    open();
  },
});

addEventListener("hashchange", open);
fetch("/numbers/page.json")
  .then((answer) => answer.json())
  .then(({ isPrivate }) => {
    find("[data-nav]").hidden = !isPrivate;
    ask.hint(isPrivate);
    open();
  });
