/**
 * Opens the inspector: a panel that says what a tracker on this page does. Loaded by hand; loaded again, by an address with
 * another query, it opens anew.
 */

import { createScriptCheck } from "./find/script.js";
import { copyText } from "./show/copy.js";
import { createLooks } from "./show/looks.js";
import { askToMute, isAskedByLink } from "./show/mute.js";
import { focusPanel, openPanel } from "./show/panel.js";
import { reportOf, textOf } from "./show/report.js";
import { addressOf } from "./watch/address.js";
import { readInline } from "./watch/inline.js";
import type { Tokens } from "./watch/keys.js";
import { listen } from "./watch/listen.js";
import { withMemory } from "./watch/memory.js";
import { takeSnapshot } from "./watch/snapshot.js";
import { readStored } from "./watch/stored.js";
import { findNames, findTag, globalOf } from "./watch/trackers.js";

const SEND_MS = 5_000;

const open = (name: string): void => {
  const names = findNames();
  if (!names.includes(name)) names.push(name);

  const {
    activity,
    listener,
    find,
    noteLook,
    doubt,
    end: stop,
  } = listen(name, addressOf(findTag(name)?.dataset), () => looks.soon());
  const see = () => {
    const stored = withMemory(readStored(name, (activity.options as Tokens) ?? findTag(name)?.dataset), activity);
    doubt(stored);
    return reportOf(takeSnapshot(name, listener, !!activity.options), stored, activity);
  };
  const checkScript = createScriptCheck(
    (reason) => {
      activity.script = reason;
      looks.soon();
    },
    () => activity.hasRequests || readInline(name).replaces,
  );
  const close = (): void => {
    looks.end();
    stop();
    panel.remove();
  };
  const panel = openPanel({
    names,
    name,
    choose: (other) => {
      close();
      open(other);
    },
    send: () => void globalOf(name)?.flush?.({ timeoutMs: SEND_MS }),
    // Without the query, which may hold a secret of the page.
    copy: () => copyText(textOf(see(), name, location.origin + location.pathname)),
    mute: () => askToMute(names, isMuted(name)),
    isMuted: () => isMuted(name),
    close,
  });
  const looks = createLooks(() => {
    find();
    noteLook();
    if (!isLoaded(name)) checkScript(findTag(name));
    panel.show(see());
  });
  looks.start();
};

const isMuted = (name: string): boolean => readStored(name).mutedUntil > 0;

const isLoaded = (name: string): boolean => {
  const found = globalOf(name);
  return !!found && !Array.isArray(found);
};

/** Which one, where there are several: `?tracklet_inspect=name`. */
const asked = new URLSearchParams(location.search).get("tracklet_inspect");
if (!focusPanel()) {
  const name = asked || findNames()[0]!;
  open(name);
  if (isAskedByLink() && !isMuted(name)) askToMute(findNames(), false);
}
