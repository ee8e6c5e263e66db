import { mountControls } from "./controls.js";

/** How late the tag manager is, in milliseconds: long enough to make some calls before. */
const DELAY_MS = 6_000;

const SNIPPET = "/dist/tracklet.iife.js";
// This page allows no script by its address alone: a tag manager has a policy of its own that says which it loads.
const policy = window.trustedTypes?.createPolicy("demo", {
  createScriptURL: (url) => (url === SNIPPET ? url : ""),
});

const { apiToken, serviceUrl } = document.body.dataset;
const loader = document.querySelector("[data-loader]");
const status = loader.querySelector("[data-loader-status]");
const button = loader.querySelector("button");

const nameOf = ({ search }) => new URLSearchParams(search).get("page");

// The page's own three "pages" differ in their address alone.
for (const link of document.querySelectorAll(".tabs a")) {
  if (nameOf(link) === nameOf(location)) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

const load = () => {
  clearTimeout(timer);
  button.disabled = true;
  const waiting = window.tracklet.length;
  const script = document.createElement("script");
  script.dataset.apiToken = apiToken;
  script.dataset.trackUrl = serviceUrl;
  script.src = policy ? policy.createScriptURL(SNIPPET) : SNIPPET;
  script.onload = () => {
    loader.dataset.loaded = "";
    status.textContent = `The snippet is loaded. It took over ${waiting} waiting ${waiting === 1 ? "call" : "calls"}.`;
    button.remove();
  };
  script.onerror = () => {
    status.textContent = "The snippet could not be loaded.";
    button.disabled = false;
  };
  document.head.append(script);
};

// `?load=button` leaves the moment to the visitor alone.
const query = new URLSearchParams(location.search);
const byButton = query.get("load") === "button";
const timer = byButton ? undefined : setTimeout(load, DELAY_MS);
button.addEventListener("click", load);

// The inspector is for the "page" that is shown.
query.set("tracklet_inspect", "");
document.querySelector("[data-inspect]").search = query;

const showWaiting = () => {
  const waiting = window.tracklet.length;
  const when = byButton ? "when you press the button" : "in a moment";
  status.textContent = `Not loaded yet, ${when}. Calls waiting: ${waiting}.`;
};

showWaiting();
mountControls(
  (...command) => {
    window.tracklet.push(command);
    // An array has a length; the tracker that replaces it has none.
    if (Array.isArray(window.tracklet)) showWaiting();
  },
  (verb, args) => `tracklet.push(["${verb}"${args && `, ${args}`}])`,
);
