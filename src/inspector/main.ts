/**
 * Opens the inspector: a panel that walks an event from the tag to the table. Loaded by hand; loaded again, by an address with
 * another query, it opens anew.
 */

import { addressOf } from "./ask/address.js";
import { createAsking } from "./ask/asking.js";
import { sendTest } from "./ask/test-event.js";
import { type Evidence, evidenceOf } from "./find/evidence.js";
import { copyText } from "./show/copy.js";
import { createLooks } from "./show/looks.js";
import { askToMute, isAskedByLink } from "./show/mute.js";
import { focusPanel, openPanel } from "./show/panel.js";
import { reportOf } from "./show/report.js";
import type { Tokens } from "./watch/keys.js";
import { listen } from "./watch/listen.js";
import { readPage } from "./watch/page.js";
import { noteRemembered } from "./watch/remembered.js";
import { readStored } from "./watch/stored.js";
import { findNames, findTags, globalOf } from "./watch/tags.js";
import { readOwnFetch } from "./watch/wire.js";

const SEND_MS = 5_000;
const TRY_MS = 9_000;
/** An answer that takes longer than this may never come, in milliseconds. */
const SLOW_MS = 2_000;

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
    const [last] = activity.exchanges;
    const isPaused = stored.pauseMs > 0;
    const isUnanswered = isPaused ? last?.status === 0 : stored.readyMs > SLOW_MS;
    // What a good answer of before said, nobody has heard: what the address says to no event at all tells who is there.
    if (isUnanswered || (last && !last.isHeard && !activity.service)) asking.service(activity.address);
    // What an earlier attempt was answered, nobody has heard: one more says it word for word. The tracker allows one in 8 s.
    if (isPaused && !activity.exchanges.some(({ isHeard }) => isHeard) && performance.now() - triedAt > TRY_MS) {
      triedAt = performance.now();
      send();
    }
    return evidenceOf({ page, stored, activity, ownFetch });
  };
  const close = (): void => {
    looks.end();
    asking.end();
    end();
    panel.remove();
  };
  const panel = openPanel({
    names,
    name,
    choose: (other) => {
      close();
      open(other);
    },
    send,
    test: () => {
      activity.isTested = true;
      sendTest(name);
      send();
      looks.soon();
    },
    // Without the query, which may hold a secret of the page.
    copy: (shown) =>
      copyText(`${name} on ${location.origin}${location.pathname}, ${new Date().toISOString()}\n\n${shown}`),
    mute: () => askToMute(names, mutedUntil(name)),
    isMuted: () => mutedUntil(name) > 0,
    close,
  });
  const looks = createLooks(() => panel.show(reportOf(see())));
  looks.start();
};

const mutedUntil = (name: string): number => readStored(name).mutedUntil;

/** Which one, where there are several: `?tracklet_inspect=name`. */
const asked = new URLSearchParams(location.search).get("tracklet_inspect");
const first = asked || findNames()[0]!;
// What the link asks needs no panel.
if (isAskedByLink()) askToMute(findNames(), mutedUntil(first));
else if (!focusPanel()) open(first);
