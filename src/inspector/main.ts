/** Opens the inspector: a panel that walks an event from the tag to the table. Loaded again, by another query, it opens anew. */
import { urlOf } from "../shared/option-values.js";
import { createAsking } from "./ask/when-to-ask.js";
import { type Evidence, evidenceOf } from "./judge/evidence.js";
import { askToMute, button, focusPanel, isAskedByLink, openPanel, redraw, reportOf } from "./show/panel.js";
import { noteNamed } from "./watch/activity.js";
import { listen } from "./watch/listen.js";
import { findNames, findTags, globalOf, readPage } from "./watch/page-state.js";
import { readStored, type Tokens } from "./watch/stored.js";

const SEND_MS = 5_000;
const TRY_MS = 9_000;
/** Between two looks, in milliseconds; and after one that took a while, because much is stored, so many times as long. */
const LOOK_MS = 500;
const REST = 10;

/** Looks at once, and then twice a second, but never so often that it takes the page's time. @returns what ends that */
const keepLooking = (look: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = (): void => {
    const begun = performance.now();
    look();
    timer = setTimeout(run, Math.max(LOOK_MS, REST * (performance.now() - begun)));
  };
  run();
  return () => clearTimeout(timer);
};

/** Sends an event that says of itself that it is a test, the whole way: by its name the numbers tell it apart. */
const sendTest = (name: string): void =>
  void globalOf(name)?.push(["track", "tracklet_test", { display_name: "Test event of the inspector" }]);

const open = (name: string): void => {
  const names = [...new Set([...findNames(), name])];
  const send = () => void globalOf(name)?.flush?.({ timeoutMs: SEND_MS });

  const { activity, listener, noteLook, end } = listen(name);
  const asking = createAsking(activity);
  let triedAt = Number.NEGATIVE_INFINITY;

  const see = (): Evidence => {
    noteLook();
    const [tag] = findTags(name);
    const options = (activity.options ?? tag?.dataset ?? {}) as Tokens & { trackUrl: unknown; eventPath: unknown };
    const page = readPage(name, { ...activity, listener });
    const stored = readStored(name, options);
    // A missing token leaves the address as it is.
    const url = urlOf({ ...options, apiToken: "-" });
    activity.address = url?.slice(0, url.lastIndexOf("?")) ?? "";
    noteNamed(name, activity, stored);
    if (page.global !== "idle" && page.global !== "running") asking.script(tag);
    const evidence = evidenceOf({ page, stored, activity });
    const { exchanges, address } = activity;
    if (evidence.isUnheard || evidence.isAstray) asking.service(address);
    // What an earlier attempt was answered, nobody has heard: one more says it word for word. The tracker allows one in 8 s.
    const isUntold = stored.pauseMs > 0 && !exchanges.some(({ isHeard }) => isHeard);
    if (isUntold && performance.now() - triedAt > TRY_MS) {
      triedAt = performance.now();
      send();
    }
    return evidence;
  };
  const close = (): void => {
    endLooking();
    asking.end();
    end();
    panel.remove();
  };
  const copying = button("Copy", () => {
    // Without the query, which may hold a secret of the page.
    const text = `${name} on ${location.origin}${location.pathname}, ${new Date().toISOString()}\n\n${panel.text()}`;
    const say = (told: string) => () => redraw(copying, told);
    // On plain http there is no clipboard.
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
    copied.then(say("Copied."), say("The browser does not let this page copy."));
  });
  const change = (other: string) => () => {
    close();
    open(other);
  };
  const others = names.filter((other) => other !== name).map((other) => button(`Inspect ${other}`, change(other)));
  const testing = button("Send a test event", () => {
    sendTest(name);
    send();
  });
  const muting = button("", () => askToMute(names, mutedUntil(name)));
  const panel = openPanel({
    title: `Inspector: ${name}`,
    tools: [...others, button("Send now", send), copying, button("Close", close)],
    above: testing,
    below: muting,
    close,
  });
  const endLooking = keepLooking(() => {
    panel.show(reportOf(see()));
    redraw(muting, mutedUntil(name) ? "Count my visits again" : "Leave out my visits");
  });
};

const mutedUntil = (name: string): number => readStored(name).mutedUntil;

const first = new URLSearchParams(location.search).get("tracklet_inspect") || findNames()[0]!;
// What the link asks needs no panel.
if (isAskedByLink()) askToMute(findNames(), mutedUntil(first));
else if (!focusPanel()) open(first);
