import { switchService, WORDS, watchService } from "./service.js";

/** Milliseconds between two looks at the storage: nothing tells a page of its own changes. */
const LOOK_MS = 250;

const strip = document.querySelector("[data-strip]");
const find = (selector) => strip.querySelector(selector);

/** Events that wait in this browser: rows of the tracker that hold one. */
const countWaiting = () => {
  try {
    return Object.entries(localStorage).filter(
      ([key, value]) => key.startsWith("tracklet:") && value.includes('"event_uid"'),
    ).length;
  } catch {
    return 0;
  }
};

/** Writes a number where it has changed, and marks the change for a moment. */
const show = (selector, number) => {
  const place = find(selector);
  if (place.textContent === String(number)) return;
  place.textContent = number;
  place.classList.remove("changed");
  // Read, so that the animation begins anew.
  void place.offsetWidth;
  place.classList.add("changed");
};

const look = () => {
  if (!document.hidden) {
    const waiting = countWaiting();
    show("[data-waiting]", waiting);
    strip.toggleAttribute("data-waits", waiting > 0);
  }
};
look();
setInterval(look, LOOK_MS);

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
  const text = WORDS[state];
  // Spoken when it changes, so it changes only then.
  if (find("[data-state-text]").textContent !== text) find("[data-state-text]").textContent = text;
  const isUp = state === "up" || state === "stopping";
  find("[data-verb]").textContent = isUp ? "Stop" : "Start";
  button.disabled = !canSwitch;
  button.title =
    canSwitch || state !== "up" ? "" : "It was started in a terminal, and can be stopped there alone (Ctrl-C).";
});
