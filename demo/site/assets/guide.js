import { CLICK, watchArrivals } from "./guide/arrivals.js";
import { CLICKS, createProgress, doneSteps } from "./guide/progress.js";
import { watchQueue } from "./queue.js";
import { switchService, watchService } from "./service.js";
import { mountVisitor, readVisitor } from "./visitor.js";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hour12: false });

const card = document.querySelector("[data-guide]");
const find = (selector) => card.querySelector(selector);
const steps = [...card.querySelectorAll("[data-step]")];
const perform = (verb, ...args) => window.tracklet[verb](...args);

const progress = createProgress();
let arrivals = new Map();
let canSwitch = false;

const write = (place, text) => {
  if (place.textContent !== text) place.textContent = text;
};

/** The clicks: when each happened, and when it arrived. */
const showClicks = ({ clicks, started }) => {
  for (const [index, row] of [...find("[data-clicks]").rows].entries()) {
    const click = clicks[index];
    const stored = arrivals.get(click?.id) ?? [];
    const [, happened, arrived] = row.cells;
    write(happened, click ? clock.format(click.at) : "–");
    write(arrived, stored.map((at) => clock.format(at)).join(" and ") || (click ? "waits" : "–"));
    arrived.classList.toggle("waits", click !== undefined && stored.length === 0);
    arrived.classList.toggle("arrived", stored.length > 0 && started);
  }
};

const done = () => doneSteps(progress.read(), readVisitor() !== null, arrivals);

const show = () => {
  const isDone = done();
  const next = isDone.indexOf(false);
  for (const [index, step] of steps.entries()) {
    const isNext = index === next;
    if (isNext) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
    step.toggleAttribute("data-done", isDone[index]);
    const button = step.querySelector("button");
    button.classList.toggle("primary", isNext);
    // Another contact can be chosen at any time, and the list of them says when there is one.
    if (index > 0) button.disabled = !isNext || (/^(stop|start)$/.test(step.dataset.step) && !canSwitch);
  }
  const last = find("[data-action=arrive]");
  write(last, next < 0 ? "Once more" : "Send now");
  last.disabled = next >= 0 && next < steps.length - 1;
  const { clicks } = progress.read();
  write(find("[data-count]"), `${clicks.length} of ${CLICKS}`);
  write(
    find("[data-guide-status]"),
    next < 0 ? "Done: all three have arrived, once each." : `Next is step ${next + 1} of ${steps.length}.`,
  );
  showClicks(progress.read());
};

/** What each step's button does. */
const ACTIONS = {
  stop: switchService,
  click: () => perform("track", CLICK, { click: progress.click() }),
  reload: () => location.reload(),
  start: switchService,
  arrive: () => (done().every(Boolean) ? progress.again() : perform("flush")),
};
for (const [name, act] of Object.entries(ACTIONS))
  find(`[data-action=${name}]`).addEventListener("click", () => {
    act();
    show();
  });

mountVisitor(document, perform, show);
watchService((service) => {
  ({ canSwitch } = service);
  progress.follow(service.state);
  show();
});
let isRefused = false;
watchQueue(({ consent }) => {
  // What waited is gone.
  if (consent === "denied" && !isRefused) progress.again();
  isRefused = consent === "denied";
  show();
});
watchArrivals((found) => {
  arrivals = found;
  show();
  const { started, clicks } = progress.read();
  const isOver = clicks.every(({ id }) => found.has(id));
  return started && !isOver ? readVisitor()?.[0].uid : undefined;
});
