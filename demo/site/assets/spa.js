import * as tracklet from "tracklet";
import { mountControls } from "./controls.js";

const { apiToken, serviceUrl } = document.body.dataset;
const { init, ...verbs } = tracklet;
init({ apiToken, trackUrl: serviceUrl });

/** The app's views by path: title and text. */
const VIEWS = {
  "/spa.html": ["Home", "The app starts here. It was loaded once; what you open next is drawn by its script."],
  "/spa/features": [
    "Features",
    "Another view, another address, the same document. The address is what the page view carries.",
  ],
  "/spa/pricing": [
    "Pricing",
    "Go back and forth with the browser's own buttons: each view you come to is counted once.",
  ],
};

const nav = document.querySelector("[data-views]");
const view = document.querySelector("[data-view]");

const render = () => {
  const [title, text] = VIEWS[location.pathname] ?? ["Not found", "This app has no such view."];
  const heading = document.createElement("h2");
  heading.textContent = title;
  heading.tabIndex = -1;
  const paragraph = document.createElement("p");
  paragraph.className = "lead";
  paragraph.textContent = text;
  view.replaceChildren(heading, paragraph);
  document.title = `${title} · single-page app · tracklet demo`;
  for (const link of nav.querySelectorAll("a")) {
    if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  return heading;
};

nav.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  // A new view takes the focus, as a new page would.
  render().focus();
});
addEventListener("popstate", render);

render();
mountControls(
  (verb, ...args) => verbs[verb](...args),
  (verb, args) => `${verb}(${args})`,
);
