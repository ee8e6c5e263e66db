import { nextAttempt, watchQueue } from "./queue.js";
import { switchService, WORDS, watchService } from "./service.js";

const strip = document.querySelector("[data-strip]");
const find = (selector) => strip.querySelector(selector);

/** Writes what has changed: nothing is spoken, selected or marked anew at each look. */
const write = (selector, text) => {
  const place = find(selector);
  const isNew = place.textContent !== String(text);
  if (isNew) place.textContent = text;
  return isNew && place;
};

/** Writes a number, and marks a change for a moment. */
const show = (selector, number) => {
  const place = write(selector, number);
  if (!place) return;
  place.classList.remove("changed");
  // Read, so that the animation begins anew.
  void place.offsetWidth;
  place.classList.add("changed");
};

watchQueue((queue) => {
  show("[data-waiting]", queue.waiting);
  write("[data-next]", nextAttempt(queue));
  strip.toggleAttribute("data-waits", queue.waiting > 0);
});

let delivered = 0;
new PerformanceObserver((list) => {
  delivered += list
    .getEntries()
    .filter(({ name, responseStatus }) => /[?&]api_token=/.test(name) && responseStatus === 200).length;
  show("[data-delivered]", delivered);
}).observe({ type: "resource", buffered: true });

const button = find("[data-action=switch]");
button.addEventListener("click", async () => {
  button.disabled = true;
  await switchService();
});

watchService(({ state, canSwitch }) => {
  write("[data-state-text]", WORDS[state]);
  const isUp = state === "up" || state === "stopping";
  find("[data-verb]").textContent = isUp ? "Stop" : "Start";
  button.disabled = !canSwitch;
  button.title =
    canSwitch || state !== "up" ? "" : "It was started in a terminal, and can be stopped there alone (Ctrl-C).";
});
