/** Milliseconds between two looks at the service's state. */
const LOOK_MS = 1_000;

/** How the state is said; without an answer of the site nothing is known. */
export const WORDS = { up: "up", down: "stopped", starting: "starting …", stopping: "stopping …", unknown: "unknown" };

const listeners = new Set();
const UNKNOWN = { state: "unknown", canSwitch: false, outages: [] };
let current = UNKNOWN;
let timer;

const look = async () => {
  clearTimeout(timer);
  if (!document.hidden) {
    current = await fetch("/service").then(
      (answer) => (answer.ok ? answer.json() : UNKNOWN),
      () => UNKNOWN,
    );
    // The dots of the page are coloured by it.
    document.documentElement.dataset.service = current.state;
    for (const listener of listeners) listener(current);
  }
  timer = setTimeout(look, LOOK_MS);
};

/** Tells `listener` of the service's state, `{ state, canSwitch, outages }`, after each look. */
export const watchService = (listener) => {
  listeners.add(listener);
  listener(current);
};

/** Stops or starts the service's process. */
export const switchService = async () => {
  const change = current.state === "up" ? "stop" : "start";
  await fetch(`/service/${change}`, { method: "POST" }).catch(() => {});
  await look();
};

document.addEventListener("visibilitychange", look);
look();
