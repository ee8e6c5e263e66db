import { mountControls } from "./controls.js";

const { perform } = mountControls(
  (verb, ...args) => window.tracklet[verb](...args),
  (verb, args) => `tracklet.${verb}(${args})`,
);

for (const link of document.querySelectorAll("[data-track]")) {
  link.addEventListener("click", () => perform("track", link.dataset.track, { plan: link.dataset.plan }));
}
