/**
 * Opens the inspector: a panel that walks an event from the tag to the table. Loaded by hand; loaded again, by an address with
 * another query, it opens anew.
 */
import { addressOf } from "./ask/address.js";
import { createAsking } from "./ask/asking.js";
import { sendTest } from "./ask/test-event.js";
import { type Evidence, evidenceOf } from "./find/evidence.js";
import { button, redraw } from "./show/elements.js";
import { createLooks } from "./show/looks.js";
import { askToMute, isAskedByLink } from "./show/mute.js";
import { focusPanel, openPanel } from "./show/panel.js";
import { reportOf } from "./show/report.js";
import { listen } from "./watch/listen.js";
import { readPage } from "./watch/page.js";
import { noteRemembered } from "./watch/remembered.js";
import { readStored, type Tokens } from "./watch/stored.js";
import { findNames, findTags, globalOf } from "./watch/tags.js";
import { readOwnFetch } from "./watch/wire.js";

const SEND_MS = 5_000;
const TRY_MS = 9_000;

const open = (name: string): void => {
  const names = [...new Set([...findNames(), name])];
  const ownFetch = readOwnFetch();
  const send = () => void globalOf(name)?.flush?.({ timeoutMs: SEND_MS });

  const { activity, listener, noteLook, end } = listen(name, (isOdd) => {
    if (isOdd) asking.service(activity.address);
    looks.soon();
  });
  const asking = createAsking(activity, () => looks.soon());
  let triedAt = Number.NEGATIVE_INFINITY;

  /** Looks at everything, and asks where something is missing. */
  const see = (): Evidence => {
    noteLook();
    const [tag] = findTags(name);
    const page = readPage(name, listener, !!activity.options);
    const stored = readStored(name, (activity.options as Tokens) ?? tag?.dataset);
    activity.address ||= addressOf(activity.options ?? tag?.dataset);
    noteRemembered(name, activity, stored);
    if (page.global !== "idle" && page.global !== "running") asking.script(tag);
    const evidence = evidenceOf({ page, stored, activity, ownFetch });
    const { isUnheard, last } = evidence;
    // What a good answer of before said, nobody has heard: what the address says to no event at all tells who is there.
    if (isUnheard || (last && !last.isHeard && !activity.service)) asking.service(activity.address);
    // What an earlier attempt was answered, nobody has heard: one more says it word for word. The tracker allows one in 8 s.
    const isUntold = stored.pauseMs > 0 && !activity.exchanges.some(({ isHeard }) => isHeard);
    if (isUntold && performance.now() - triedAt > TRY_MS) {
      triedAt = performance.now();
      send();
    }
    return evidence;
  };
  const close = (): void => {
    looks.end();
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
  const looks = createLooks(() => {
    panel.show(reportOf(see()));
    redraw(muting, mutedUntil(name) ? "Count my visits again" : "Leave out my visits");
  });
  looks.start();
};

const mutedUntil = (name: string): number => readStored(name).mutedUntil;

/** Which one, where there are several: `?tracklet_inspect=name`. */
const first = new URLSearchParams(location.search).get("tracklet_inspect") || findNames()[0]!;
// What the link asks needs no panel.
if (isAskedByLink()) askToMute(findNames(), mutedUntil(first));
else if (!focusPanel()) open(first);
